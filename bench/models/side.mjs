// Runs ONNX Runtime on a model folder for TestBesideONNXRuntime of internal/encoder. Each line of stdin asks for a batch of
// equally long texts, {"ids": [[…]], "runs": 3}; the answer is {"ms": […], "first": […]}: the processor time of each run, and
// the last layer's vector of the first token of the first text.
import readline from 'node:readline';
import ort from 'onnxruntime-node';
import { encoder } from './onnx.mjs';

const session = await ort.InferenceSession.create(encoder(process.argv[2]), { intraOpNumThreads: 1, interOpNumThreads: 1 });
const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1000; };
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { ids, runs } = JSON.parse(line), shape = [ids.length, ids[0].length], n = ids.length * ids[0].length;
  const tensor = (values) => new ort.Tensor('int64', values, shape);
  const feeds = { input_ids: tensor(BigInt64Array.from(ids.flat().map(BigInt))), attention_mask: tensor(new BigInt64Array(n).fill(1n)), token_type_ids: tensor(new BigInt64Array(n)) };
  const ms = [];
  let out;
  for (let i = 0; i < runs; i++) {
    const before = cpu();
    out = await session.run(feeds);
    ms.push(cpu() - before);
  }
  const hidden = out.last_hidden_state;
  console.log(JSON.stringify({ ms, first: Array.from(hidden.data.slice(0, hidden.dims[2])) }));
}
