// Turning a page so that most of its text runs from left to right.

/** An angle in radians as quarter turns, 0 to 3. */
export function quarterTurnsOf(angle: number): number {
  return Number.isFinite(angle) ? ((Math.round(angle / (Math.PI / 2)) % 4) + 4) % 4 : 0;
}

/** A point of a page after the page was turned about its origin. Only distances are used, so they may be negative. */
export function turnPoint([x, y]: readonly [number, number], quarterTurns: number): [number, number] {
  switch (quarterTurns) {
    case 1:
      return [-y, x];
    case 2:
      return [-x, -y];
    case 3:
      return [y, -x];
    default:
      return [x, y];
  }
}
