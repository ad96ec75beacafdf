// Thai has no end mark: a blank parts sentences, phrases, names and numbers alike. A blank ends a sentence only where
// the words beside it say so: a final particle or a question before it, or a new subject behind it. When in doubt it
// does not, since a sentence too long is cut at its blanks later, while a wrong end looks like a right one.
import { isBlank } from '../unicode.ts';
import { CASELESS, isDigit, isThai as isThaiUnit, startAt } from './marks.ts';

const LONGEST_WORD = 14;



/** The patterns, all of which match at one place only: those with a look behind end there. */
interface Patterns {
  /** Polite and other final particles, and question words that close a sentence. */
  readonly closing: RegExp;
  /** Pronouns and nouns that open a clause with a subject of its own, and words that open a new sentence. */
  readonly opening: RegExp;
  /** Words that make the clause they open or close a part of a larger sentence. */
  readonly subordinating: RegExp;
  readonly announcing: RegExp;
  /** Verbs and words before them: what has one within is a clause. */
  readonly predicate: RegExp;
  /** From its first letter on, a clause with a verb behind its subject; blanks stand at numbers and before the verb. */
  readonly clause: RegExp;
  /** Words with which a clause goes on: verbs, which lack their subject, conjunctions, prepositions. */
  readonly continuing: RegExp;
}

let patterns: Patterns | undefined;

const VERBS =
  'ไม่(?!มีใคร)|จะ|ได้(?!แก่)|ต้อง|เป็น|มี|อยู่|แล้ว|กำลัง|ถูก|ให้|ไป|มา(?!ตร|ก)|คือ|ควร|อาจ(?!าร)|เคย|ยัง|เพิ่ง|กลับ|ทำ|พบ|ขึ้น|ลง|บอก|ถาม|พูด|เดิน|นั่ง|เห็น|ใช้|เริ่ม|เปิด|ปิด|ขาย|ซื้อ|(?<!โรง|นัก)เรียน|เกิด|หัวเราะ|(?<!ค)รับ|ส่ง|เข้า|ออก(?!แบบ)|ชื่อ|หาย|ลด|เพิ่ม|สูง|แพง|รัก|ชอบ|ตก|หยุด|แจ้ง|กล่าว|ย้าย|ปลิว|หลับ|กิน|วิ่ง|ลืม|คาด|คิด|รู้|ดู|อ่าน|เขียน|ตอบ|เรียก|สร้าง|ตั้ง|จัด|เปลี่ยน|ทราบ|เจ็บ|ตาย|สอน|ช่วย|เล่น|นอน|ยืน|ฟัง|เจอ|นำ|วาง|กลาย|แสดง|ผลิต|ประกาศ|เสนอ|ร้อน|หนาว|สวย';

const createPatterns = (): Patterns => ({
  predicate: new RegExp(VERBS),
  clause: new RegExp(`^\\S(?:\\S|(?<=[\\dA-z.])\\s|\\s(?=[\\dA-z]))*?\\s?(?:${VERBS})`),
  continuing: new RegExp(
    `${VERBS}|แต่|และ|หรือ|ซึ่ง|ที่|โดย|เพื่อ|ว่า|จึง|ก็|กับ|จาก|ใน|บน|เพราะ|เมื่อ(?!วาน)|ถ้า|หาก|จน|ณ|ด้วย|ตาม|ของ|ราว|ประมาณ|กว่า|ถึง|ขณะ|ตั้งแต่|ระหว่าง|สำหรับ|เท่านั้น|ทุก|ๆ|แห่ง|เช่น|ได้แก่|พร้อม|รวม|ทั้ง(?!สอง)|น\\.`,
    'y',
  ),
  closing:
    /(?<=ครับ|ค่ะ|คะ|นะ|จ้ะ|จ๊ะ|จ้า|ฮะ|ล่ะ|เถอะ|หรอก|เหรอ|ไหม|มั้ย|หรือเปล่า|หรือยัง|หรือไม่|เมื่อไร|เมื่อไหร่|เท่าไร|เท่าไหร่|เท่าใด|ที่ไหน|อะไร|อย่างไร|ยังไง|ทำไม|กี่โมง)/y,
  opening:
    /ผม|ฉัน|ดิฉัน|ข้าพเจ้า|เขา|เธอ|เรา|พวกเขา|พวกเรา|หล่อน|มัน(?!ฝรั่ง)|ท่าน|คุณ(?!ภาพ)|แม่|พ่อ|พี่|น้อง|ลูก|น\.ส|ดร\.|นาย(?!กรัฐ)|นาง|ปู่|ย่า|ตา(?!ม)|ยาย|ลุง|ป้า|เด็ก|คน|ครู|อาจารย์|หมอ|ตำรวจ|พนักงาน|ภรรยา|สามี|เพื่อน|ผู้|เจ้าของ|เจ้าหน้าที่|ชาว|นัก|รัฐบาล|บริษัท|โรงเรียน|ร้าน|บ้าน|รถ|ราคา|ฝน|อากาศ|การ(?!ณ)|ความ|ทุกคน|หลายคน|บางคน|ทั้งสอง|ไม่มีใคร|กรุณา|โปรด|อย่า(?!ง)|ตอนนี้|วันนี้|พรุ่งนี้|เมื่อวาน|ปัจจุบัน|ต่อมา|จากนั้น|หลังจากนั้น|นอกจากนี้|อย่างไรก็ตาม|ดังนั้น|ในที่สุด|(?:ถ้า|หาก)\S+\s(?=[ก-ฮ])/y,
  subordinating:
    /ถ้า|หาก|เมื่อ(?!วาน|เวลา|ปี|วันที่)|ขณะ|เพราะ|เนื่องจาก|แม้|ถึงแม้|พอ|หลังจาก(?!นั้น)|ก่อน(?=\S)|ตั้งแต่|จน|กว่า|ทันทีที่|ระหว่าง|ตอน(?!นี้)|เพื่อ/y,
  announcing:
    /(?<=(?:ว่า|คือ|เช่น|ได้แก่|และ|หรือ|แต่|กับ|(?<!สิ่ง|ข้าว)ของ|(?<!หน้า|พื้น|สถาน|เต็ม)ที่|โดย|เพราะ|ๆ|ฯ|(?<!เจ้า|ท)นาย|นาง|นางสาว|(?<!อุ)ดร|(?<!ขอบ)คุณ|ถ้า|เมื่อ)\.?)/y,
});

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** True when the blank [gap, next) behind Thai text ends the sentence that began at `from`. */
export function thaiBlankEndsSentence(
  text: string,
  from: number,
  gap: number,
  next: number,
  end: number,
): boolean {
  const start = startAt(text, next);
  if (start > CASELESS && !'“"‘('.includes(text.charAt(next))) return false;
  const isThai = start === CASELESS;
  patterns ??= createPatterns();
  const before = text.slice(Math.max(from, gap - LONGEST_WORD), gap);
  const isAbbreviated = text.charCodeAt(gap) === 0x2e && text.charCodeAt(gap + 1) !== 0x2e && SHORT.test(before);
  if (isAbbreviated || matchesAt(patterns.announcing, before, before.length)) return false;
  if (matchesAt(patterns.closing, before, before.length)) return true;
  if (!isThai || isSubordinate(patterns, text, from, gap)) return false;
  const after = text.slice(next, Math.min(end, next + LONGEST_CLAUSE));
  const opens = matchesAt(patterns.opening, after, 0);
  // An end mark is as good as a verb before it.
  const isMarked = !isBlank(text.charCodeAt(gap));
  if (!(isMarked && opens) && !patterns.predicate.test(text.slice(Math.max(from, gap - LONGEST_CLAUSE), gap)))
    return false;
  const left = text.charCodeAt(gap - 1);
  // Behind a number stands what is counted.
  if (isDigit(left)) return opens && !/^(?:คน[^ขง]|ลูก)/.test(after) && patterns.clause.test(after);
  if (opens && isThaiUnit(left)) return true;
  return !GIVEN_NAME.test(before) && !matchesAt(patterns.continuing, after, 0) && patterns.clause.test(after);
}

const LONGEST_CLAUSE = 80;
/** `ถ`, `น.ส`: letters before a period, no unit behind a number. */
const SHORT = /(?<=^|\D\s|[^\s\dก-๎])(?:[ก-๎]{1,4}\.?){1,3}$/;
/** `น.ส. มาลี`: a given name, behind which the family name stands. */
const GIVEN_NAME = /(?<!\d\s?น)\.\s\S{1,9}$/;

/** True when the sentence from `from` on begins with a subordinate clause, and its main clause not before `gap`. */
function isSubordinate(
  { subordinating, opening }: Patterns,
  text: string,
  from: number,
  gap: number,
): boolean {
  let segment = gap;
  while (segment > from && gap - segment < LONGEST_SUBORDINATE && !isBlank(text.charCodeAt(segment - 1))) segment--;
  if (segment > from && matchesAt(subordinating, text, segment)) return true;
  if (gap - from > LONGEST_SUBORDINATE || !matchesAt(subordinating, text, from)) return false;
  for (let at = from + 1; at < gap; at++) {
    if (isBlank(text.charCodeAt(at - 1)) && matchesAt(opening, text, at)) return false;
  }
  return true;
}

const LONGEST_SUBORDINATE = 80;

