// What the sentence rules know of languages, as lists of words: one line a language, lower case, without the closing
// period. A language is added by adding words; no rule asks which language a text is in.
import { startAt, UPPER } from './marks.ts';

/** Parts a readable list into a set. Built at first use, so that importing costs nothing. */
const wordSet = (list: string): (() => ReadonlySet<string>) => {
  let words: ReadonlySet<string> | undefined;
  return () => (words ??= new Set(list.split(/\s+/).filter(Boolean)));
};

/** Abbreviations with which no sentence ends: titles, and such as announce what follows them. */
const NEVER_LAST = `
  adm approx asst attn brig capt cdr cf cllr cmdr col comdr cpl dr drs e.g eg esp fr gen gov i.e ie insp
  lieut lt maj mdm messrs mme mlle mr mrs ms mt mx pres prof rep rev rt sens reps sgt supt viz vs st ste
  bzgl bzw ca d.h d.i dipl evtl frl ggf hl hr hrn i.a i.d i.d.r ing insb jun priv s.o s.u sog u.a vgl z.b z.t z.zt zit
  zzgl inkl exkl bspw
  m mm mgr p.ex c.-à-d c.à.d vve
  sra dra srta sres aprox d dña p.ej fdo excmo excma ilmo lic arq mons
  т.е т.к т.н т.о т.ч напр им ул пл просп наб пер кв корп табл гл ср см св проф акад доц ген полк кап лейт тов гр г-н г-жа
  инж канд архиеп прот тел моб обл р-н пос дер лат англ нем франц рус
  डॉ डा प्रो श्री श्रीमती सुश्री कु पं मो सं क्र पृ उदा ज़ि नं ए बी सी डी ई एफ़ एच जे के एल एम एन आर एस टी वी पी आई ओ यू वाई उ कि मि
  د أ أ.د ص ت ج ط ق ب ر س ع ف
`;

/** Abbreviations that point at a number or a letter; before anything else they are read as words. */
const BEFORE_NUMBER = `
  app art arts ch chap cl div eq eqs ex fig figs fn fol no nos nr nrs op p pg pgs pp par para paras pt pts reg
  rm sec sect sects ser tab tabs vol vols v vv ver bk ed lot ext tel fax
  abb abs abschn anh anl anm aufl bd bde kap lfd rdnr rn s sp taf tf ziff zi z hs bl
  al alin annexe fasc ill liv n pag tél tome
  apdo cap caps lám núm núms pág págs párr tít tfno
  абз гл илл кн л лл п пп прил разд рис стр с табл т тт ч ст
  अनु अनुच्छेद रु
`;

/** Abbreviations that may close a sentence; whether they do shows in the word behind them. Capitals are kept to. */
const MAYBE_LAST = `
  Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun
  a.d b.c b.c.e c.e a.m p.m u.s u.s.a u.k u.n e.u d.c n.y l.a u.s.s.r ph.d m.a b.a m.sc b.sc m.d m.b.a b.s m.s ll.b ll.m
  d.phil Jr Sr Bros Co Corp Inc Ltd LLC LLP PLC Pty Dept Univ Assn Inst Ave Blvd Rd Ln Sq Hwy Pkwy
  et.al ibid id op.cit loc.cit min mins hr hrs secs ft yd oz lb tbsp tsp qt doz mph
  Jän Mär Mrz Okt Dez Mo Di Mi Do Fr Sa So e.v Str Pl Hbf Bhf Jh Jhd n.chr v.chr Chr geb gest verh Std stdn sek mio mrd tsd
  Stck ff f hrsg ebd a.a.o u.ä o.ä o.g u.v.m d.j d.m env
  janv févr avr juil déc lun mer jeu ven dim s.a s.a.r.l sarl s.a.s o.n.u u.e av apr j.-c boul bd fg ets éts cie sté adr qté dép
  ene abr ago dic mié jue vie sáb dom a.c d.c ee.uu Ud Uds Vd Vds Cía s.l s.a.u s.r.l avda izda dcha tlf prov dpto
  янв февр апр авг сент окт нояб дек пн вт чт пт сб вс др о-ва изд сост ин э
  إلخ الخ प्रा लि
`;

/** Measures and eras: behind a number, a capital or a new word after them begins a sentence. */
const MEASURES = `
  lbs lb oz ft yd hrs mins min mph г гг в вв руб коп тыс млн млрд трлн н.э мин сек ч час км кг см
  रु कि.मी मी किमी कि.ग्रा ग्रा م هـ كم كغ ق.م น กม ซม กก
`;

/** Abbreviations that close a list: a capital behind them begins a sentence. */
const OFTEN_LAST = `
  etc seq yds usw usf dgl u.dgl т.д т.п др lbs
`;

/** What an abbreviation does at a period; a word can be on several lists. */
export const NEVER = 1;
export const OFTEN = 2;
export const MEASURE = 4;
export const NUMBER = 8;
export const MAYBE = 16;

let abbreviations: Map<string, number> | undefined;

/** The lists that a word is on, as a sum of the numbers above; 0 for a word that is no abbreviation. */
export function abbreviationKind(word: string): number {
  abbreviations ??= createAbbreviations();
  const kind = abbreviations.get(word);
  if (kind !== undefined) return kind;
  // Most words before a period have small letters already, and making them so costs as much as the look-up.
  return word !== '' && startAt(word, 0) === UPPER ? (abbreviations.get(word.toLowerCase()) ?? 0) : 0;
}

function createAbbreviations(): Map<string, number> {
  const kinds = new Map<string, number>();
  const lists = [
    [NEVER_LAST, NEVER],
    [OFTEN_LAST, OFTEN],
    [MEASURES, MEASURE],
    [BEFORE_NUMBER, NUMBER],
    [MAYBE_LAST, MAYBE],
  ] as const;
  for (const [list, kind] of lists) {
    for (const word of list.split(/\s+/)) if (word !== '') kinds.set(word, (kinds.get(word) ?? 0) | kind);
  }
  return kinds;
}

/**
 * False when no abbreviation of that length begins and ends with these units; true for most others means nothing.
 * A table of bytes by a hash, as cutting the word out and looking it up would cost more than the rest of the scan.
 */
export function mayAbbreviate(length: number, first: number, last: number): boolean {
  ends ??= createEnds();
  return ends[hashEnds(length, first, last)] !== 0;
}

let ends: Uint8Array | undefined;
const ENDS_SIZE = 0x8000;

function hashEnds(length: number, first: number, last: number): number {
  return (length * 2311 + first * 67 + last * 1553) & (ENDS_SIZE - 1);
}

function createEnds(): Uint8Array {
  const table = new Uint8Array(ENDS_SIZE);
  abbreviations ??= createAbbreviations();
  for (const word of abbreviations.keys()) {
    const spellings = [word.toLowerCase(), word.toUpperCase()];
    for (const { 0: first = '' } of spellings) {
      for (const spelling of spellings) {
        table[hashEnds(word.length, first.charCodeAt(0), spelling.charCodeAt(spelling.length - 1))] = 1;
      }
    }
  }
  return table;
}

/** Names that carry an end mark of their own. */
export const NAMES_WITH_MARK = wordSet('yahoo jeopardy wham joomla ياهو याहू 야후 モーニング娘 モー娘 藤岡弘');

let nameEnds: ReadonlySet<number> | undefined;

/** True when one of these names could end with the unit, in small letters; asked first, since most marks follow none. */
export function mayEndName(code: number): boolean {
  nameEnds ??= new Set([...NAMES_WITH_MARK()].map((name) => name.charCodeAt(name.length - 1)));
  return nameEnds.has(code);
}

/** Nouns behind which a single letter is a label, not an initial: plan B, vitamin C. */
export const LABELLED = wordSet(`
  plan vitamin class grade group type team section part point option hepatitis appendix annex exhibit schedule phase model gate hall
  room level zone platform unit halle gruppe klasse typ teil punkt anlage linie saal kategorie stufe groupe classe annexe salle
  quai vitamine vitamina grupo clase tipo anexo sala puerta línea план витамин витамина витамином группа группе класс тип
  блок корпус корпусе योजना विटामिन خطة فيتامين 비타민
`);

/** Nouns that a section number with a period belongs to at the start of a line. */
export const NUMBERED = wordSet(`
  chapter section part article appendix figure table volume lesson step question example exercise kapitel abschnitt teil artikel
  anhang tabelle schritt beispiel aufgabe chapitre partie annexe leçon étape exemple exercice capítulo sección parte artículo
  anexo lección paso ejemplo tema глава раздел часть статья приложение урок шаг пример
  अध्याय भाग पाठ الفصل الباب المادة
`);

/** Words before a number with a period that make it an ordinal in German and its neighbours: am 3., dem 2. */
export const BEFORE_ORDINAL = wordSet(`
  am im vom zum zur beim dem den der des die das ein eine einem einen einer eines ihr ihre ihrem ihren ihrer sein seine seinem
  seinen seiner meinem meinen unserem unseren jede jeder jedem jeden diese dieser diesem diesen ab bis seit und oder nach vor
  kein keine bereits schon erst
`);

/** Names of months behind an ordinal day: 3. Oktober. */
export const MONTHS = wordSet(`
  januar jänner februar feber märz april mai juni juli august september oktober november dezember
  jan feb mär mrz apr jun jul aug sep sept okt nov dez
`);

/** Words of closed classes that open sentences: behind an abbreviation, their capital tells the sentence from the name. */
export const STARTERS = wordSet(`
  a after all an and as at both but by did do does each every for from he her his how i if in it its my no
  not now on one only our she since so that the their then there these they this those we
  what when where which while who why with yes you your
  aber alle als am auch auf aus bei da damals danach dann das den der des die dies diese dieser doch dort du ein eine er es für
  heute hier ich ihr ihre im in ist jede jetzt kein man mit nach nein nicht noch nun nur ob ohne seine seit sie
  so spät und uns unser viele vom von vor wann warum was wegen weil wenn wer wie wir wo zu zum zur zwei
  alors après au aussi avec ce cela ces cet cette chaque comme comment dans de des donc elle elles en ensuite et
  il ils je la le les leur leurs lorsque mais mes mon nos notre nous on ou où par pas personne plus pour pourquoi quand que
  quel qui quoi sa sans ses si son sous sur tous tout tu un une vous
  al allí aunque cada como con cuando cómo del desde después donde dónde durante el ella ellas ellos entonces era es esa ese
  esta este esto está fue había hay hoy las lo los luego me mi mientras muy ni nos nosotros otro para
  pero por porque qué quién se según sin sobre su sus también todo todos tras una unos usted y ya yo él
  а без был была были в вам вас ваш во вот все всё вы где да два для до его ее её если есть еще ещё за здесь и из или их к
  каждый как когда кто мне многие мой мы на над наш не нет ни никто но о об один он она они оно от очень по под позже после
  потом почему при с сегодня со так там теперь то тогда только три ты у уже хотя через что эта эти это этот я
  그 그는 그녀는 그들은 그들의 우리 우리는 나는 저는 내가 누가 왜 하지만 그러나 그래서 그리고 또
  لم لن ثم لا هو هي هم كان كانت هذا هذه ذلك لكن إن قد وقد هل ماذا لماذا كيف متى أين بعد لذلك لقد ليس عندما كل
  यह वह ये वे मैं हम तुम आप कोई कुछ क्या क्यों कैसे कब कहाँ जब तब अब फिर लेकिन इस उस इसलिए
`);

/** Verbs of saying in the form that stands behind a quotation: they tie it to their clause. */
export const SAYING = wordSet(`
  said says asked asks cried shouted replied answered whispered called yelled murmured exclaimed
  added explained told sagte fragte rief antwortete flüsterte dit demanda cria répondit murmura
  dijo preguntó gritó respondió contestó exclamó сказал сказала спросил спросила крикнул крикнула ответил ответила
  पूछा पूछी कहा बोला बोली बोलीं बोले चिल्लाया चिल्लाई قال قالت سأل سألت أجاب أجابت
  말했다 물었다 외쳤다 대답했다
`);

/** Subjects that say that nobody spoke: behind a quotation they begin a sentence of their own. */
export const NOBODY = wordSet(`
  nobody none no neither niemand keiner keine kein personne aucun aucune nul nadie ninguno ninguna никто ни
  لا لم किसी कोई
`);

/** Words without capitals that never begin a sentence: postpositions, copulas, quotatives, prepositions. */
export const TIES = wordSet(`
  का की के को से में पर तक ने है हैं था थे थी नहीं वाला वाली वाले द्वारा दूर लिखा लिख कहकर बोलकर
  하고 라고 이라고 하며 라며 하는 라는 이라는 하면서 라면서 하자 에서 에게 자로
`);
