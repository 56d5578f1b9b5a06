// Writes a BERT encoder as an ONNX model, op for op as the usual exporter does, from config.json and model.safetensors.
import fs from 'node:fs';
import path from 'node:path';

const utf8 = new TextEncoder();

// A message of protocol buffers: only what ONNX needs.
class Message {
  parts = [];
  size = 0;
  push(bytes) { this.parts.push(bytes); this.size += bytes.length; return this; }
  varint(value) {
    let x = BigInt.asUintN(64, BigInt(value));
    const out = [];
    do {
      const low = Number(x & 127n);
      x >>= 7n;
      out.push(x ? low | 128 : low);
    } while (x);
    return this.push(Uint8Array.from(out));
  }
  int(field, value) { return this.varint(field << 3).varint(value); }
  bytes(field, value) { return this.varint(field << 3 | 2).varint(value.length).push(value); }
  text(field, value) { return this.bytes(field, utf8.encode(value)); }
  message(field, value) {
    this.varint(field << 3 | 2).varint(value.size);
    for (const part of value.parts) this.push(part);
    return this;
  }
  done() { return Buffer.concat(this.parts); }
}

const float = 1, int64 = 7;

class Graph {
  nodes = [];
  tensors = [];
  inputs = [];
  outputs = [];
  count = 0;
  name() { return 't' + this.count++; }
  tensor(shape, type, values, name = this.name()) {
    const m = new Message();
    for (const d of shape) m.int(1, d);
    this.tensors.push(m.int(2, type).text(8, name).bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)));
    return name;
  }
  number(v) { return this.tensor([], float, Float32Array.of(v)); }
  whole(...v) { return this.tensor([v.length], int64, BigInt64Array.from(v.map(BigInt))); }
  op(type, inputs, attributes = {}, output = this.name()) {
    const m = new Message();
    for (const i of inputs) m.text(1, i);
    m.text(2, output).text(4, type);
    for (const [name, value] of Object.entries(attributes)) {
      const a = new Message().text(1, name);
      if (Array.isArray(value)) {
        for (const v of value) a.int(8, v);
        a.int(20, 7);
      } else {
        a.int(3, value).int(20, 2);
      }
      m.message(5, a);
    }
    this.nodes.push(m);
    return output;
  }
  static value(name, type, dims) {
    const shape = new Message();
    for (const d of dims) shape.message(1, typeof d === 'string' ? new Message().text(2, d) : new Message().int(1, d));
    return new Message().text(1, name).message(2, new Message().message(1, new Message().int(1, type).message(2, shape)));
  }
  model() {
    const g = new Message();
    for (const n of this.nodes) g.message(1, n);
    g.text(2, 'encoder');
    for (const t of this.tensors) g.message(5, t);
    for (const i of this.inputs) g.message(11, i);
    for (const o of this.outputs) g.message(12, o);
    return new Message().int(1, 8).message(7, g).message(8, new Message().text(1, '').int(2, 14)).done();
  }
}

function weights(folder) {
  const file = fs.readFileSync(path.join(folder, 'model.safetensors'));
  const length = Number(file.readBigUInt64LE());
  const header = JSON.parse(file.subarray(8, 8 + length));
  return (name) => {
    const { shape, data_offsets: [from, to] } = header[name];
    return { shape, values: new Float32Array(file.buffer.slice(file.byteOffset + 8 + length + from, file.byteOffset + 8 + length + to)) };
  };
}

// encoder returns the ONNX model of a folder. Its inputs are input_ids, attention_mask and token_type_ids.
export function encoder(folder) {
  const c = JSON.parse(fs.readFileSync(path.join(folder, 'config.json')));
  const weight = weights(folder), g = new Graph(), both = ['batch', 'sequence'], hidden = c.hidden_size, heads = c.num_attention_heads;
  for (const name of ['input_ids', 'attention_mask', 'token_type_ids']) g.inputs.push(Graph.value(name, int64, both));
  const table = (name) => { const w = weight(name); return g.tensor(w.shape, float, w.values); };
  const dense = (x, name) => {
    const { shape: [out, into], values } = weight(name + '.weight'), turned = new Float32Array(out * into);
    for (let i = 0; i < out; i++) for (let j = 0; j < into; j++) turned[j * out + i] = values[i * into + j];
    return g.op('Add', [table(name + '.bias'), g.op('MatMul', [x, g.tensor([into, out], float, turned)])]);
  };
  const norm = (x, name) => {
    const d = g.op('Sub', [x, g.op('ReduceMean', [x], { axes: [-1] })]);
    const variance = g.op('ReduceMean', [g.op('Pow', [d, g.number(2)])], { axes: [-1] });
    const y = g.op('Div', [d, g.op('Sqrt', [g.op('Add', [variance, g.number(c.layer_norm_eps)])])]);
    return g.op('Add', [g.op('Mul', [y, table(name + '.LayerNorm.weight')]), table(name + '.LayerNorm.bias')]);
  };
  const gelu = (x) => g.op('Mul', [g.op('Mul', [x, g.op('Add', [g.op('Erf', [g.op('Div', [x, g.number(Math.SQRT2)])]), g.number(1)])]), g.number(0.5)]);
  const size = (x, i) => g.op('Unsqueeze', [g.op('Gather', [g.op('Shape', [x]), g.tensor([], int64, BigInt64Array.of(BigInt(i)))], { axis: 0 }), g.whole(0)]);
  const split = (x) => g.op('Reshape', [x, g.op('Concat', [size(x, 0), size(x, 1), g.whole(heads), g.whole(hidden / heads)], { axis: 0 })]);

  const positions = g.tensor([1, c.max_position_embeddings], int64, BigInt64Array.from({ length: c.max_position_embeddings }, (_, i) => BigInt(i)));
  const position = g.op('Slice', [positions, g.whole(0), size('input_ids', 1), g.whole(1)]);
  const e = 'embeddings.';
  const sum = g.op('Add', [g.op('Gather', [table(e + 'word_embeddings.weight'), 'input_ids']), g.op('Gather', [table(e + 'token_type_embeddings.weight'), 'token_type_ids'])]);
  let x = norm(g.op('Add', [sum, g.op('Gather', [table(e + 'position_embeddings.weight'), position])]), 'embeddings');
  const mask = g.op('Cast', [g.op('Unsqueeze', [g.op('Unsqueeze', ['attention_mask', g.whole(1)]), g.whole(2)])], { to: float });
  const bias = g.op('Mul', [g.op('Sub', [g.number(1), mask]), g.number(-3.4028234663852886e38)]);
  for (let i = 0; i < c.num_hidden_layers; i++) {
    const layer = `encoder.layer.${i}.`, self = layer + 'attention.self.';
    const [q, k, v] = [['query', [0, 2, 1, 3]], ['key', [0, 2, 3, 1]], ['value', [0, 2, 1, 3]]].map(([name, perm]) => g.op('Transpose', [split(dense(x, self + name))], { perm }));
    const scores = g.op('Add', [g.op('Div', [g.op('MatMul', [q, k]), g.number(Math.sqrt(hidden / heads))]), bias]);
    const attended = g.op('Transpose', [g.op('MatMul', [g.op('Softmax', [scores], { axis: -1 }), v])], { perm: [0, 2, 1, 3] });
    const joined = g.op('Reshape', [attended, g.op('Concat', [size(attended, 0), size(attended, 1), g.whole(hidden)], { axis: 0 })]);
    x = norm(g.op('Add', [dense(joined, layer + 'attention.output.dense'), x]), layer + 'attention.output');
    x = norm(g.op('Add', [dense(gelu(dense(x, layer + 'intermediate.dense')), layer + 'output.dense'), x]), layer + 'output');
  }
  g.op('Identity', [x], {}, 'last_hidden_state');
  g.outputs.push(Graph.value('last_hidden_state', float, [...both, hidden]));
  return g.model();
}
