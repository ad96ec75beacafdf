;; Lists where the stops of the sentence scanner may be, sixteen units at a time. Of every set of stops, `stops.node.ts`
;; has noted for each of the four hexadecimal digits of a unit which values it has in that set, as a bit of a byte; a
;; unit may be a stop when one bit is set for all four of its digits (Langdale and Lemire, Parsing Gigabytes of JSON per
;; Second, VLDB Journal 28, 2019, section 3.1.2). Where the bits of eight units are 1 is looked up in a table, so that
;; nothing here branches on what the text is.
(module
  ;; One page, laid out by `stops.node.ts`:
  ;;   0x0000  the units, 16 bits each
  ;;   0x4010  the places found, 16 bits each, and room for what is written behind the last
  ;;   0x9000  256 times eight places of 16 bits: those of the bits that are set in a byte, ascending
  ;;   0xa000  twice four tables of sixteen bytes, one for each digit of a unit, the lowest first
  (import "scan" "memory" (memory 1))

  ;; Writes the places among the first `count` units, at least one, and behind them 0x2000.
  (func (export "findStops") (param $count i32)
    (local $at i32) (local $next i32) (local $bits i32) (local $some i32) (local $base v128)
    (local $units v128) (local $others v128) (local $low v128) (local $high v128)
    (local $first v128) (local $second v128) (local $third v128) (local $fourth v128)
    (local $a1 v128) (local $a2 v128) (local $a3 v128) (local $a4 v128)
    (local $b1 v128) (local $b2 v128) (local $b3 v128) (local $b4 v128)

    (local.set $a1 (v128.load offset=0xa000 (i32.const 0)))
    (local.set $a2 (v128.load offset=0xa010 (i32.const 0)))
    (local.set $a3 (v128.load offset=0xa020 (i32.const 0)))
    (local.set $a4 (v128.load offset=0xa030 (i32.const 0)))
    (local.set $b1 (v128.load offset=0xa040 (i32.const 0)))
    (local.set $b2 (v128.load offset=0xa050 (i32.const 0)))
    (local.set $b3 (v128.load offset=0xa060 (i32.const 0)))
    (local.set $b4 (v128.load offset=0xa070 (i32.const 0)))
    (local.set $next (i32.const 0x4010))

    (loop $blocks
      ;; The low bytes of sixteen units, and their high bytes.
      (local.set $units (v128.load offset=0x00 (i32.shl (local.get $at) (i32.const 1))))
      (local.set $others (v128.load offset=0x10 (i32.shl (local.get $at) (i32.const 1))))
      (local.set $low (i8x16.shuffle 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30
        (local.get $units) (local.get $others)))
      (local.set $high (i8x16.shuffle 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31
        (local.get $units) (local.get $others)))

      ;; Their digits.
      (local.set $first (v128.and (local.get $low) (i8x16.splat (i32.const 0x0f))))
      (local.set $second (i8x16.shr_u (local.get $low) (i32.const 4)))
      (local.set $third (v128.and (local.get $high) (i8x16.splat (i32.const 0x0f))))
      (local.set $fourth (i8x16.shr_u (local.get $high) (i32.const 4)))

      ;; A bit for each of the sixteen.
      (local.set $bits (i8x16.bitmask (i8x16.ne
        (v128.const i32x4 0 0 0 0)
        (v128.or
          (v128.and
            (v128.and
              (i8x16.swizzle (local.get $a1) (local.get $first))
              (i8x16.swizzle (local.get $a2) (local.get $second)))
            (v128.and
              (i8x16.swizzle (local.get $a3) (local.get $third))
              (i8x16.swizzle (local.get $a4) (local.get $fourth))))
          (v128.and
            (v128.and
              (i8x16.swizzle (local.get $b1) (local.get $first))
              (i8x16.swizzle (local.get $b2) (local.get $second)))
            (v128.and
              (i8x16.swizzle (local.get $b3) (local.get $third))
              (i8x16.swizzle (local.get $b4) (local.get $fourth))))))))

      ;; Eight places are written each time, and the next ones over those that are none.
      (local.set $base (i16x8.splat (local.get $at)))
      (local.set $some (i32.and (local.get $bits) (i32.const 0xff)))
      (v128.store (local.get $next)
        (i16x8.add (local.get $base) (v128.load offset=0x9000 (i32.shl (local.get $some) (i32.const 4)))))
      (local.set $next (i32.add (local.get $next) (i32.shl (i32.popcnt (local.get $some)) (i32.const 1))))
      (local.set $base (i16x8.add (local.get $base) (i16x8.splat (i32.const 8))))
      (local.set $some (i32.shr_u (local.get $bits) (i32.const 8)))
      (v128.store (local.get $next)
        (i16x8.add (local.get $base) (v128.load offset=0x9000 (i32.shl (local.get $some) (i32.const 4)))))
      (local.set $next (i32.add (local.get $next) (i32.shl (i32.popcnt (local.get $some)) (i32.const 1))))

      (br_if $blocks (i32.lt_u
        (local.tee $at (i32.add (local.get $at) (i32.const 16)))
        (local.get $count))))

    (i32.store16 (local.get $next) (i32.const 0x2000))))
