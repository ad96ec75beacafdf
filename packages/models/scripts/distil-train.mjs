// The arithmetic of distilling: a table of one vector a word piece, such that the sum over a text's pieces points where
// the real model's vector of the text does. Started from the model's vectors of the pieces alone, then trained by
// stochastic gradient descent (Adam; Kingma and Ba 2015) on the cosine to the model's vectors.

/** Parameters of the start and the training of the table; docs/adr/0011-built-in-embedder.md has their results. */
export const RECIPE = {
  dimensions: 160,
  epochs: 8,
  batch: 128,
  rate: 0.003,
  /**
   * Words are weighted by a / (a + p) at the start, p being the chance of a word by its rank (Arora, Liang and Ma
   * 2017).
   */
  smoothing: 1e-3,
};

/** A source of numbers from 0 to 1 that is the same in every run (mulberry32). */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Rows in the coordinates of their main directions, the most telling first; `rows` is `count` vectors of `width`. */
export function mainDirections(rows, width, dimensions, sweeps = 20) {
  const count = rows.length / width;
  const moments = new Float64Array(width * width);
  for (let row = 0; row < count; row++) {
    const at = row * width;
    for (let i = 0; i < width; i++) {
      const value = rows[at + i];
      for (let j = i; j < width; j++) moments[i * width + j] += value * rows[at + j];
    }
  }
  for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) moments[i * width + j] = moments[j * width + i];
  // Subspace iteration: multiply, make orthonormal, again.
  const random = randomFrom(1);
  let basis = Array.from({ length: dimensions }, () =>
    Float64Array.from({ length: width }, () => random() - 0.5),
  );
  for (let sweep = 0; sweep < sweeps; sweep++) {
    basis = basis.map((vector) => {
      const next = new Float64Array(width);
      for (let i = 0; i < width; i++) {
        let sum = 0;
        for (let j = 0; j < width; j++) sum += moments[i * width + j] * vector[j];
        next[i] = sum;
      }
      return next;
    });
    for (let at = 0; at < dimensions; at++) {
      const vector = basis[at];
      for (let before = 0; before < at; before++) {
        const other = basis[before];
        let along = 0;
        for (let i = 0; i < width; i++) along += vector[i] * other[i];
        for (let i = 0; i < width; i++) vector[i] -= along * other[i];
      }
      const length = Math.hypot(...vector);
      for (let i = 0; i < width; i++) vector[i] /= length;
    }
  }
  return basis;
}

/** `rows` in the coordinates of `basis`. */
export function project(rows, width, basis) {
  const count = rows.length / width;
  const out = new Float32Array(count * basis.length);
  for (let row = 0; row < count; row++) {
    for (const [to, vector] of basis.entries()) {
      let sum = 0;
      for (let i = 0; i < width; i++) sum += rows[row * width + i] * vector[i];
      out[row * basis.length + to] = sum;
    }
  }
  return out;
}

/** The start: the model's vectors of the pieces, less their mean, weighted by how rare a piece is. */
export function startTable(pieceVectors, pieces, dimensions, smoothing) {
  const table = pieceVectors.slice();
  const mean = new Float64Array(dimensions);
  for (let at = 0; at < table.length; at++) mean[at % dimensions] += (table[at] * dimensions) / table.length;
  const harmonic = Math.log(pieces.length) + 0.577;
  for (let piece = 0; piece < pieces.length; piece++) {
    const chance = 1 / ((Math.max(piece - 995, 0) + 1) * harmonic);
    const weight = (smoothing / (smoothing + chance)) * (/^\W+$/.test(pieces[piece]) ? 0.3 : 1);
    for (let i = 0; i < dimensions; i++)
      table[piece * dimensions + i] = weight * (table[piece * dimensions + i] - mean[i]);
  }
  return table;
}

/** Trains a table in place. `lists` are texts as indexes of pieces, `targets` the model's vectors of them. */
export function train(table, lists, targets, { dimensions, epochs, batch, rate }, onEpoch = () => undefined) {
  const random = randomFrom(7);
  const first = new Float32Array(table.length);
  const second = new Float32Array(table.length);
  const gradient = new Float32Array(table.length);
  const order = lists.map((_, index) => index);
  const sum = new Float64Array(dimensions);
  const steps = Math.ceil(order.length / batch) * epochs;
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let at = order.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [order[at], order[other]] = [order[other], order[at]];
    }
    let loss = 0;
    for (let from = 0; from < order.length; from += batch) {
      const touched = new Set();
      for (const index of order.slice(from, from + batch)) {
        const list = lists[index];
        if (list.length === 0) continue;
        sum.fill(0);
        for (const piece of list)
          for (let i = 0; i < dimensions; i++) sum[i] += table[piece * dimensions + i];
        let [squares, along, own] = [0, 0, 0];
        for (let i = 0; i < dimensions; i++) {
          const target = targets[index * dimensions + i];
          squares += sum[i] * sum[i];
          along += sum[i] * target;
          own += target * target;
        }
        const [length, targetLength] = [Math.sqrt(squares) || 1, Math.sqrt(own) || 1];
        const cosine = along / length / targetLength;
        loss += 1 - cosine;
        for (let i = 0; i < dimensions; i++)
          sum[i] = (targets[index * dimensions + i] / targetLength - (cosine * sum[i]) / length) / length;
        for (const piece of list) {
          touched.add(piece);
          for (let i = 0; i < dimensions; i++) gradient[piece * dimensions + i] += sum[i];
        }
      }
      step++;
      const pace = rate * (1 - step / (steps + 1));
      const [forget1, forget2] = [1 - 0.9 ** Math.min(step, 1000), 1 - 0.99 ** Math.min(step, 10000)];
      for (const piece of touched) {
        for (let at = piece * dimensions, end = at + dimensions; at < end; at++) {
          const slope = gradient[at];
          gradient[at] = 0;
          first[at] += 0.1 * (slope - first[at]);
          second[at] += 0.01 * (slope * slope - second[at]);
          table[at] += (pace * (first[at] / forget1)) / (Math.sqrt(second[at] / forget2) + 1e-8);
        }
      }
    }
    onEpoch(epoch, loss / order.length);
  }
}
