// Thai has no end mark: a blank parts sentences, phrases, names and numbers alike. A blank ends a sentence only where
// the words beside it say so: a final particle or a question before it, or a new subject behind it. When in doubt it
// does not, since a sentence too long is cut at its blanks later, while a wrong end looks like a right one.

const LONGEST_WORD = 14;

/** Polite particles and question words that close a sentence. */
const CLOSING =
  /(?:ครับ|ค่ะ|คะ|นะ|จ้ะ|จ๊ะ|จ้า|ไหม|มั้ย|หรือเปล่า|หรือยัง|หรือไม่|เมื่อไร|เมื่อไหร่|เท่าไร|เท่าไหร่|ที่ไหน|อย่างไร|ยังไง|ทำไม)$/u;

/** Pronouns and nouns for persons that open a clause with a subject of its own, and words that open a new one. */
const SUBJECT =
  /^(?:ผม|ฉัน|ดิฉัน|เขา|เธอ|เรา|พวกเขา|พวกเรา|หล่อน|ท่าน|คุณ(?!ภาพ)|แม่|พ่อ|พี่|น้อง|ลูก|ปู่|ย่า|ตา|ยาย|ครู|หมอ|ภรรยา|สามี|เพื่อน|ผู้|เจ้าของ|เจ้าหน้าที่|ชาว|นัก|ทุกคน|ทั้งสอง|ไม่มีใคร|กรุณา|โปรด|ตอนนี้|วันนี้|พรุ่งนี้|เมื่อวาน)/u;

/** A stretch of Thai shorter than this is a word of a list or a name, not a clause. */
const SHORTEST_CLAUSE = 9;

/** Words that make the clause they open or close a part of a larger sentence. */
const SUBORDINATING =
  /^(?:ถ้า|หาก|เมื่อ|ขณะ|เพราะ|เนื่องจาก|แม้|ถึงแม้|พอ|หลังจาก|ก่อน|ตั้งแต่|จน|กว่า|ทันทีที่|ระหว่าง|ตอน|เพื่อ)/u;
const ANNOUNCING =
  /(?:ว่า|คือ|เช่น|ได้แก่|และ|หรือ|แต่|กับ|ของ|ที่|โดย|เพราะ|ๆ|ฯลฯ|ฯ|นาย|นาง|นางสาว|ดร|คุณ|ถ้า|เมื่อ)[.]?$/u;

/** True when the blank [gap, next) behind Thai text ends the sentence that began at `from`. */
export function thaiBlankEndsSentence(
  text: string,
  from: number,
  gap: number,
  next: number,
  end: number,
): boolean {
  const before = text.slice(Math.max(from, gap - LONGEST_WORD), gap);
  const after = text.slice(next, Math.min(end, next + LONGEST_WORD));
  if (ANNOUNCING.test(before) || !/^[\p{L}“"‘(]/u.test(after)) return false;
  if (CLOSING.test(before)) return true;
  const stretch = /[^\s]*$/u.exec(text.slice(Math.max(from, gap - 40), gap))?.[0] ?? '';
  const isClause = stretch.length >= SHORTEST_CLAUSE || /[\p{Nd}.]\s?\S*$/u.test(before);
  return (
    isClause &&
    SUBJECT.test(after) &&
    !SUBORDINATING.test(text.slice(from, Math.min(gap, from + LONGEST_WORD)))
  );
}
