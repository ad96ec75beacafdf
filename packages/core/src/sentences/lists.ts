// The languages that the sentence rules know, as lists of words: one line for each language, in lower case, without the
// closing period. To add a language, add words; no rule depends on the language of a text.
import { startAt, UPPER } from './marks.ts';

/** Makes a set of a list of words, at its first use, so that importing this file costs nothing. */
const wordSet = (list: string): (() => ReadonlySet<string>) => {
  let words: ReadonlySet<string> | undefined;
  return () => (words ??= new Set(list.split(/\s+/).filter(Boolean)));
};

/** Abbreviations that never end a sentence: titles, and those before a name or number. Capitals matter. */
const NEVER_LAST = `
  adm approx asst attn capt col cpl dr e.g esp gen gov i.e maj messrs mr mrs ms pres prof Rep rev sen Sens st ste viz vs
  av ca cf d.h dipl evtl exkl hr ing inkl insb jun sog vgl z.b zit
  mgr mlle mme p.ex vve arq gral rvdo lcdo eng cel geom rag
  aprox dra dña excma excmo exma exmo ilmo lic mons p.ej profa sra sres srta
  avv dott dott.ssa sig sig.ra bijv env excl incl ir mevr resp hab inż m.in płk ul św
  акад англ ген доц инж лат лейт напр нем обл пер полк пос проф см тел тов ул франц
  GS PGS ThS TP βλ δηλ κα κος πχ
  श्रीमती सुश्री उदा वाई एफ़
`;

/** Abbreviations only when a number follows, where their shape does not show it; otherwise they are ordinary words. */
const BEFORE_NUMBER = 'abb abs abschn al apdo app cap ch chap dia fig no para qté qty tab vol αρ κεφ σελ अनु';

/** Abbreviations that may end a sentence, depending on the word behind them. Capitals matter. */
const MAYBE_LAST = `
  Ave Bros Co Corp Dept Hwy Inc Inst LLC LLP Pkwy Pty Ud Uds Univ
  avda boul cie cía ebd ets geb gest ibid mio prov sek sté verh изд им сост प्रा लि
`;

/** Abbreviations that end a list: a capital behind them begins a new sentence. */
const OFTEN_LAST = 'dgl v.v κλ κλπ κτλ др сл т.д т.п';

/** The lists that contain an abbreviation, as bits, since a word can be on several. */
export const NEVER = 1;
export const OFTEN = 2;
export const NUMBER = 8;
export const MAYBE = 16;

let abbreviations: Map<string, number> | undefined;

/** The bits of a word's lists; 0 for a word that is no abbreviation. */
export function abbreviationKind(word: string): number {
  if (!mayBeAbbreviation(keyOf(word))) return 0;
  const kind = (abbreviations ??= createAbbreviations()).get(word);
  if (kind !== undefined) return kind;
  return word !== '' && startAt(word, 0) === UPPER ? (abbreviations.get(word.toLowerCase()) ?? 0) : 0;
}

function createAbbreviations(): Map<string, number> {
  const kinds = new Map<string, number>();
  const lists = [
    [NEVER_LAST, NEVER],
    [OFTEN_LAST, OFTEN],
    [BEFORE_NUMBER, NUMBER],
    [MAYBE_LAST, MAYBE],
  ] as const;
  for (const [list, kind] of lists) {
    for (const word of list.split(/\s+/)) if (word !== '') kinds.set(word, (kinds.get(word) ?? 0) | kind);
  }
  return kinds;
}

/** Extends the hash of a word by the letter before it; the hash of no letters is 0. */
export const wordKey = (key: number, code: number): number => Math.imul(key, 37) + (code & 31) + 1;

function keyOf(word: string): number {
  let key = 0;
  for (let at = word.length - 1; at >= 0; at--) key = wordKey(key, word.charCodeAt(at));
  return key;
}

let abbreviationKeys: Uint8Array | undefined;

/** True for the hash of every abbreviation and of a few other words; false for all the rest. */
export function mayBeAbbreviation(key: number): boolean {
  abbreviationKeys ??= createAbbreviationKeys();
  return abbreviationKeys[key & (KEYS - 1)] === 1;
}

/** Size of the table of hashes: about one in thirty words that are no abbreviation collides with one. */
const KEYS = 8192;

/** Marks the hashes of each abbreviation in all its spellings: in small letters, with a capital, in capitals. */
function createAbbreviationKeys(): Uint8Array {
  const keys = new Uint8Array(KEYS);
  for (const word of (abbreviations ??= createAbbreviations()).keys()) {
    for (const form of [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])
      keys[keyOf(form) & (KEYS - 1)] = 1;
  }
  return keys;
}

/** Matches names that have an end mark of their own, up to that mark. */
export const NAME_WITH_MARK = /(?<![a-z])(?:yahoo|jeopardy|wham|joomla|ياهو|याहू|야후|モーニング娘)$/i;

/** Nouns before a letter that is a label and no initial: plan B. */
export const LABELLED = wordSet(`
  article chapter class figure grade group hepatitis option part plan section team type vitamin klasse gruppe teil typ
  classe groupe partie clase grupo parte tipo vitamina витамин группа класс план विटामिन خطة فيتامين
`);

/** True for a word behind which a number with a period is an ordinal in German: am 3., dem 2. */
export function isBeforeOrdinal(word: string): boolean {
  return /^(?:[aiv]m|beim|bis|d(?:as|e[mnrs]|ie)|nach|oder|seit|und|vo[mr]|zu[mr]|(?:dies|[dkms]?ein|ihr|jed|unser)(?:e[mnrs]?)?)$/.test(
    word,
  );
}

/** True for the name of a German month, in short or in full, and for a German age: 3. Oktober, 15. Jahrhunderts. */
export function isMonthOrAge(word: string): boolean {
  if (/^jahr(?:hundert|tausend|zehnt)/.test(word)) return true;
  return (
    'jfmasond'.includes(word.charAt(0)) &&
    /^(?:j[aä]n|feb|märz|mrz|apr|mai$|ju[nl]i?$|aug|sep|okt|nov|dez)/.test(word)
  );
}

/**
 * Words of closed classes that begin sentences: such a word with a capital behind an abbreviation begins a sentence and
 * is no name.
 */
export const STARTERS = wordSet(`
  after all and but every for from her his how its not now one our she since that the their then there these they this those
  what when where which while who why with yes you
  aber alle als auch auf aus bei danach dann das der des die dies diese dieser doch dort eine für heute hier ich ihr ist man mit nach nein nicht
  nur sie und viele von vor was weil wenn wer wie wir
  après avec ces cette comme dans elle ils les leur mais nous par pas pour quand que son sur tous tout une vous
  aunque como con cuando del desde después ella ellos esta este está hay las los pero para por según sin sus también todo una
  anche dopo gli nel per questa questo het een hij maar toen wij zij isso não mas quando uma nie
  αν αυτά αυτή αυτό για εάν ένα επίσης μετά όταν όμως στη στην στο την της τις τον του των
  без все вот где для если как когда кто мне нет она они после потом при там теперь тогда только что эта эти это этот
  các chúng có để đây đó hãy khi không một nếu những này nó sau tôi trong từ tuy vì với bạn
  यह वह ये वे मैं हम आप क्या जब तब अब फिर लेकिन इस उस इसलिए
  لن هل قد كان كانت إن هو هي هذا هذه أما
`);

/** Verbs of saying, in the form that follows a quotation within its sentence. */
export const SAYING = wordSet(`
  added answered asked called cried explained replied said says shouted told whispered yelled
  antwortete flüsterte fragte rief sagte cria demanda dit murmura répondit contestó dijo gritó preguntó respondió
  крикнул крикнула ответил ответила сказал сказала спросил спросила
  पूछा पूछी कहा बोला बोली बोलीं बोले चिल्लाया قال قالت سأل سألت أجاب أجابت صاح صاحت پوچھا کہا 말했다 물었다 외쳤다 소리쳤다 대답했다
`);

/** Subjects that are no speakers: behind a quotation they begin a sentence of their own. */
export const NON_SPEAKERS = wordSet(`
  nobody none no neither niemand keiner keine kein personne aucun aucune nul nadie ninguno ninguna nessuno ninguém nikt никто ни
  لا لم किसी कोई
`);

/** Words of scripts without capitals that never begin a sentence: postpositions, copulas, quotatives, prepositions. */
export const TIES = wordSet(`
  का की के को से में पर तक ने है हैं था थे थी वाला वाली वाले द्वारा दूर लिखा लिख कहकर बोलकर जैसा जैसी जैसे
  하고 라고 이라고 하며 라며 하는 라는 이라는 하면서 라면서 하자 고 에서 에게 자로
`);

let tieStarts: Uint8Array | undefined;

/**
 * True for the first two units of each word in {@link TIES} (the second is 0 for a word of one unit) and for a few
 * others. Checked before a word is sliced, since few words are ties.
 */
export function beginsTie(first: number, second: number): boolean {
  tieStarts ??= createTieStarts();
  return tieStarts[tieKey(first, second)] === 1;
}

const TIE_STARTS = 4096;
const tieKey = (first: number, second: number): number => (Math.imul(first, 37) + second) & (TIE_STARTS - 1);

function createTieStarts(): Uint8Array {
  const starts = new Uint8Array(TIE_STARTS);
  for (const word of TIES())
    starts[tieKey(word.charCodeAt(0), word.length === 1 ? 0 : word.charCodeAt(1))] = 1;
  return starts;
}
