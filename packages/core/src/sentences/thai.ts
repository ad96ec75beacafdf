// Thai has no end mark: a blank separates sentences, phrases, names and numbers alike. A blank ends a sentence where
// the words beside it show it: a final particle or a question before it, or a clause with a verb on each side, the
// second with a subject of its own. In doubt the sentence goes on, because a sentence that is too long is cut at its
// blanks later anyway.
import { isBlank } from '../unicode.ts';
import { CASELESS, isDigit, isThai, startAt } from './marks.ts';

const LONGEST_WORD = 14;
/** Most units that are read on each side of a blank. */
const LONGEST_CLAUSE = 80;

/** Verbs and the words that go before them: a stretch with one of these is a clause. */
const VERBS =
  'ไม่(?!มีใคร)|จะ|ได้(?!แก่)|ต้อง|เป็น|มี|อยู่|แล้ว|กำลัง|ถูก|ให้|ไป|มา(?!ตร|ก)|คือ|ควร|อาจ(?!าร)|เคย|ยัง|เพิ่ง|กลับ|ทำ|พบ|บอก|ถาม|พูด|เดิน|นั่ง|เห็น|ใช้|เริ่ม|เปิด|ปิด|ขาย|ซื้อ|เกิด|(?<!โรง|นัก)เรียน|หัวเราะ|(?<!ค)รับ|ส่ง|เข้า|ออก|ชื่อ|หาย|ลด|เพิ่ม|สูง|รัก|ชอบ|ตก|หยุด|กล่าว|กิน|วิ่ง|ลืม|คาด|คิด|รู้|ดู|อ่าน|เขียน|ตอบ|เรียก|สร้าง|ตั้ง|จัด|เปลี่ยน|ทราบ|เจ็บ|ตาย|สอน|ช่วย|เล่น|นอน|ฟัง|นำ|วาง|กลาย|แสดง|ผลิต|ประกาศ|เสนอ';

/** Words before which a clause goes on although no verb follows: conjunctions, prepositions. */
const CONTINUING =
  'แต่|และ|หรือ|ซึ่ง|ที่|โดย|เพื่อ|ว่า|จึง|ก็|กับ|จาก|ใน|บน|เพราะ|เมื่อ(?!วาน)|ถ้า|หาก|จน|ณ|ด้วย|ตาม|ของ|ประมาณ|กว่า|ถึง|ขณะ|ตั้งแต่|ระหว่าง|สำหรับ|เท่านั้น|ทุก|ๆ|แห่ง|เช่น|ได้แก่|พร้อม|รวม|น\\.';

/** Words that open a new sentence: pronouns, titles and kinds of people, which are subjects, and others. */
const OPENING =
  'ผม|ฉัน|ดิฉัน|แม่|พ่อ|พี่|น้อง|ลูก|ลุง|ป้า|เด็ก|เขา|เธอ|เรา|พวก|มัน(?!ฝรั่ง)|ท่าน|คุณ(?!ภาพ)|น\\.ส|ดร\\.|นาย|นาง|คน|ผู้|ชาว|นัก|เจ้า|บ้าน|รถ|การ(?!ณ)|ความ|ทั้งสอง|ไม่มีใคร|กรุณา|โปรด|อย่า(?!ง)|ตอนนี้|วันนี้|พรุ่งนี้|ปัจจุบัน|ต่อมา|จากนั้น|นอกจากนี้|อย่างไรก็ตาม|ดังนั้น|ในที่สุด|(?:ถ้า|หาก)\\S+\\s[ก-ฮ]';

/** Words that begin a subordinate clause. */
const SUBORDINATING =
  '(?:ถ้า|หาก|เมื่อ(?!วาน|เวลา|ปี|วันที่)|ขณะ|เพราะ|เนื่องจาก|แม้|ถึงแม้|พอ|หลังจาก(?!นั้น)|ก่อน(?=\\S)|ตั้งแต่|จน|กว่า|ทันทีที่|ระหว่าง|ตอน(?!นี้)|เพื่อ)';

const createPatterns = () => ({
  verb: new RegExp(VERBS),
  /**
   * Matches, from the first letter on, a clause with a verb behind its subject; blanks may stand at numbers and before
   * the verb. A blank is matched in one way only: two ways would be tried in every combination.
   */
  clause: new RegExp(
    `^(?!${VERBS}|${CONTINUING})\\S(?:\\S|(?<=[\\dA-z.])\\s|(?<![\\dA-z.])\\s(?=[\\dA-z]))*?\\s?(?:${VERBS})`,
  ),
  opening: new RegExp(`^(?:${OPENING})`),
  /** Matches when the last clause is subordinate, or when the first one is and no other has a subject. */
  subordinate: new RegExp(`(?:^|\\s)${SUBORDINATING}\\S*$|^${SUBORDINATING}(?!.*\\s(?:${OPENING}))`, 's'),
  /** Matches polite and other final particles, and question words that close a sentence. */
  closing:
    /(?<=ครับ|ค่ะ|คะ|นะ|จ้ะ|จ๊ะ|จ้า|ฮะ|ล่ะ|เถอะ|หรอก|เหรอ|ไหม|มั้ย|หรือ(?:เปล่า|ยัง|ไม่)|เมื่อไห?ร่?|เท่าไห?ร่?|เท่าใด|ที่ไหน|อะไร|อย่างไร|ยังไง|ทำไม|กี่โมง)/y,
  announcing:
    /(?<=(?:ว่า|คือ|เช่น|ได้แก่|และ|หรือ|แต่|กับ|(?<!หน้า|พื้น|สถาน|เต็ม)ที่|โดย|เพราะ|ๆ|ฯ|นาง|นางสาว|ถ้า|เมื่อ)\.?)/y,
});

let patterns: ReturnType<typeof createPatterns> | undefined;

/** `ถ`, `น.ส`: matches a short form of a few letters before a period, but no unit behind a number. */
const SHORT = /(?<=^|\D\s|[^\s\dก-๎])(?:[ก-๎]{1,4}\.?){1,3}$/;
/** `น.ส. มาลี`: matches a given name with a title, behind which the family name follows. */
const GIVEN_NAME = /(?<!\d\s?น)\.\s\S{1,9}$/;

/** True when the blank [gap, next) in Thai text, or a period at `gap`, ends the sentence that began at `from`. */
export function thaiBlankEndsSentence(
  text: string,
  from: number,
  gap: number,
  next: number,
  end: number,
): boolean {
  const start = startAt(text, next);
  if (start > CASELESS && !'“"‘('.includes(text.charAt(next))) return false;
  const { announcing, closing, opening, clause, verb, subordinate } = (patterns ??= createPatterns());
  const before = text.slice(Math.max(from, gap - LONGEST_WORD), gap);
  if (/^\.(?!\.)/.test(text.slice(gap, gap + 2)) && SHORT.test(before)) return false;
  // Both patterns are sticky and look back from this place only.
  announcing.lastIndex = closing.lastIndex = before.length;
  if (announcing.test(before)) return false;
  if (closing.test(before)) return true;
  if (start !== CASELESS) return false;
  const after = text.slice(next, Math.min(end, next + LONGEST_CLAUSE));
  const opens = opening.test(after);
  const left = text.charCodeAt(gap - 1);
  // The noun behind a number is the thing counted, unless it is a subject.
  if (isDigit(left) && (!opens || /^(?:คน[^ขง]|ลูก)/.test(after))) return false;
  if (!(opens && isThai(left)) && (GIVEN_NAME.test(before) || !clause.test(after))) return false;
  const clauses = text.slice(Math.max(from, gap - LONGEST_CLAUSE), gap);
  // An end mark counts as much as a verb before it.
  return ((opens && !isBlank(text.charCodeAt(gap))) || verb.test(clauses)) && !subordinate.test(clauses);
}
