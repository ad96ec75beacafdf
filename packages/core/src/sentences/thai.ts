// Thai has no end mark: a blank parts sentences, phrases, names and numbers alike. A blank ends a sentence only where
// the words beside it say so: a final particle or a question before it, or a new subject behind it. When in doubt it
// does not, since a sentence too long is cut at its blanks later, while a wrong end looks like a right one.
import { isBlank } from '../unicode.ts';
import { CASELESS, isDigit, startAt } from './marks.ts';

const LONGEST_WORD = 14;

/** A stretch of Thai shorter than this is a word of a list or a name, not a clause. */
const SHORTEST_CLAUSE = 9;

/** The patterns, all of which match at one place only: those with a look behind end there. */
interface Patterns {
  /** Polite and other final particles, and question words that close a sentence. */
  readonly closing: RegExp;
  /** Pronouns and nouns that open a clause with a subject of its own, and words that open a new sentence. */
  readonly opening: RegExp;
  /** Words that make the clause they open or close a part of a larger sentence. */
  readonly subordinating: RegExp;
  readonly announcing: RegExp;
}

let patterns: Patterns | undefined;

const createPatterns = (): Patterns => ({
  closing:
    /(?<=ครับ|ค่ะ|คะ|นะ|จ้ะ|จ๊ะ|จ้า|ฮะ|ล่ะ|เถอะ|หรอก|เหรอ|ไหม|มั้ย|หรือเปล่า|หรือยัง|หรือไม่|เมื่อไร|เมื่อไหร่|เท่าไร|เท่าไหร่|เท่าใด|ที่ไหน|อะไร|อย่างไร|ยังไง|ทำไม|กี่โมง)/y,
  opening:
    /ผม|ฉัน|ดิฉัน|ข้าพเจ้า|เขา|เธอ|เรา|พวกเขา|พวกเรา|หล่อน|มัน(?!ฝรั่ง)|ท่าน|คุณ(?!ภาพ)|แม่|พ่อ|พี่|น้อง|ลูก|ปู่|ย่า|ตา(?!ม)|ยาย|ลุง|ป้า|เด็ก|คน|ครู|อาจารย์|หมอ|ตำรวจ|พนักงาน|ภรรยา|สามี|เพื่อน|ผู้|เจ้าของ|เจ้าหน้าที่|ชาว|นัก|รัฐบาล|บริษัท|โรงเรียน|ร้าน|บ้าน|รถ|ราคา|ฝน|อากาศ|ทุกคน|หลายคน|บางคน|ทั้งสอง|ไม่มีใคร|กรุณา|โปรด|อย่า(?!ง)|ตอนนี้|วันนี้|พรุ่งนี้|เมื่อวาน|ปัจจุบัน|ต่อมา|จากนั้น|หลังจากนั้น|นอกจากนี้|อย่างไรก็ตาม|ดังนั้น|ในที่สุด/y,
  subordinating:
    /ถ้า|หาก|เมื่อ(?!วาน)|ขณะ|เพราะ|เนื่องจาก|แม้|ถึงแม้|พอ|หลังจาก(?!นั้น)|ก่อน|ตั้งแต่|จน|กว่า|ทันทีที่|ระหว่าง|ตอน(?!นี้)|เพื่อ/y,
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
  if (startAt(text, next) > CASELESS && !'“"‘('.includes(text.charAt(next))) return false;
  patterns ??= createPatterns();
  const before = text.slice(Math.max(from, gap - LONGEST_WORD), gap);
  const isClosed = matchesAt(patterns.closing, before, before.length);
  if (!isClosed) {
    const opens = matchesAt(patterns.opening, text.slice(next, Math.min(end, next + LONGEST_WORD)), 0);
    if (!opens || !endsWithClause(text, from, gap)) return false;
    if (isSubordinate(patterns, text, from, gap)) return false;
  }
  return !matchesAt(patterns.announcing, before, before.length);
}

/** True when the sentence from `from` on begins with a subordinate clause, and its main clause not before `gap`. */
function isSubordinate(
  { subordinating, opening }: Patterns,
  text: string,
  from: number,
  gap: number,
): boolean {
  if (gap - from > LONGEST_SUBORDINATE || !matchesAt(subordinating, text, from)) return false;
  for (let at = from + 1; at < gap; at++) {
    if (isBlank(text.charCodeAt(at - 1)) && matchesAt(opening, text, at)) return false;
  }
  return true;
}

const LONGEST_SUBORDINATE = 80;

/** True when the text before `gap` is long enough without a blank, or a number or period stands in or before it. */
function endsWithClause(text: string, from: number, gap: number): boolean {
  const floor = Math.max(from, gap - SHORTEST_CLAUSE);
  for (let at = gap - 1; at >= floor; at--) {
    const code = text.charCodeAt(at);
    if (isFigure(code)) return true;
    if (isBlank(code)) return at > from && isFigure(text.charCodeAt(at - 1));
  }
  return gap - from >= SHORTEST_CLAUSE;
}

const isFigure = (code: number): boolean => code === 0x2e || isDigit(code);
