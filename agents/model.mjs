// A model that plays a script, on loopback, in the four dialects that agents speak: Chat
// Completions, Responses, Messages and generateContent, streamed or not. It answers at once,
// knows nothing, and keeps every request, so that a test can say what the model was told.
import http from 'node:http'

// Each dialect reads a request into {model, text, prompt, tools, results}, and writes a reply,
// {text} or {tool, args}, in its own events. `text` is everything that the model is told,
// `prompt` what the user said since the model last spoke, `results` how many tools have answered since.
const dialects = {
  '/chat/completions': { read: readChat, write: writeChat },
  '/responses': { read: readResponses, write: writeResponses },
  '/messages': { read: readMessages, write: writeMessages },
  'GenerateContent': { read: readGemini, write: writeGemini },
  'generateContent': { read: readGemini, write: writeGemini },
}

// serve starts the model; script maps a request to a reply.
export async function serve(script) {
  const asked = []
  let calls = 0
  const server = http.createServer(async (req, res) => {
    const chunks = []
    for await (const chunk of req) chunks.push(chunk)
    const path = new URL(req.url, 'http://localhost').pathname
    const dialect = Object.entries(dialects).find(([end]) => path.endsWith(end))?.[1]
    let body
    try { body = JSON.parse(Buffer.concat(chunks).toString()) } catch { /* a question about models, or the like */ }
    if (!dialect || !body) {
      res.writeHead(path.endsWith('count_tokens') ? 200 : 404, { 'content-type': 'application/json' })
      res.end(JSON.stringify(path.endsWith('count_tokens') ? { input_tokens: 100 } : { error: { message: `not in the script: ${req.method} ${req.url}` } }))
      return
    }
    const request = { path, ...dialect.read(body) }
    const reply = script(request)
    asked.push({ ...request, reply })
    const stream = body.stream === true || path.includes('streamGenerateContent')
    res.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    const id = `${++calls}`
    dialect.write(res, reply, { id, stream, model: body.model ?? 'scripted' })
    res.end()
  })
  await new Promise(ready => server.listen(0, '127.0.0.1', ready))
  return { asked, url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close() } }
}

const texts = content => typeof content === 'string' ? content : (content ?? []).map(c => c.text ?? (c.content ? texts(c.content) : '')).join('\n')
const event = (res, data, name) => res.write((name ? `event: ${name}\n` : '') + `data: ${JSON.stringify(data)}\n\n`)

// request puts what a dialect found together; messages are [role, text], in order.
function request(system, messages, tools) {
  const last = messages.findLastIndex(([role]) => role === 'user')
  const first = messages.slice(0, last + 1).findLastIndex(([role]) => role !== 'user') + 1
  return {
    system, tools, prompt: messages.slice(first, last + 1).map(m => m[1]).join('\n\n'), text: [system, ...messages.map(m => m[1])].join('\n\n'),
    results: messages.slice(last + 1).filter(([role]) => role === 'tool').length,
  }
}

function readChat(body) {
  const system = body.messages.filter(m => m.role === 'system' || m.role === 'developer').map(m => texts(m.content)).join('\n')
  const rest = body.messages.filter(m => m.role !== 'system' && m.role !== 'developer')
  return request(system, rest.map(m => [m.role, texts(m.content)]), (body.tools ?? []).map(t => t.function.name))
}

function writeChat(res, reply, { id, stream, model }) {
  const call = reply.tool && [{ index: 0, id: `call_${id}`, type: 'function', function: { name: reply.tool, arguments: JSON.stringify(reply.args) } }]
  const message = { role: 'assistant', content: reply.text ?? null, ...(call ? { tool_calls: call } : {}) }
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
  const head = { id: `chat_${id}`, created: 0, model }
  const finish_reason = call ? 'tool_calls' : 'stop'
  if (!stream) return res.write(JSON.stringify({ ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage }))
  const chunk = (delta, finish_reason = null, more = {}) => event(res, { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more })
  chunk(message)
  chunk({}, finish_reason, { usage })
  res.write('data: [DONE]\n\n')
}

function readResponses(body) {
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input
  const messages = input.flatMap(i => {
    if (i.type?.endsWith('call_output')) return [['tool', texts(i.output)]]
    return i.role === 'user' || i.role === 'assistant' || i.role === 'developer' ? [[i.role, texts(i.content)]] : []
  })
  // Some clients offer the tools of a server as one namespace.
  const tools = (body.tools ?? []).flatMap(t => t.type === 'namespace' ? (t.tools ?? []).map(inner => `${t.name}/${inner.name}`) : [t.name ?? t.type])
  return request(body.instructions ?? '', messages, tools)
}

function writeResponses(res, reply, { id, stream, model }) {
  const [namespace, name] = reply.tool?.includes('/') ? reply.tool.split('/') : [undefined, reply.tool]
  const item = reply.tool
    ? { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name, ...(namespace ? { namespace } : {}), arguments: JSON.stringify(reply.args), status: 'completed' }
    : { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: reply.text, annotations: [] }] }
  const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 0 }, output_tokens: 10, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 110 }
  const response = { id: `resp_${id}`, object: 'response', created_at: 0, model, status: 'completed', output: [item], usage }
  if (!stream) return res.write(JSON.stringify(response))
  event(res, { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }, 'response.created')
  event(res, { type: 'response.output_item.added', output_index: 0, item }, 'response.output_item.added')
  event(res, { type: 'response.output_item.done', output_index: 0, item }, 'response.output_item.done')
  event(res, { type: 'response.completed', response }, 'response.completed')
}

function readMessages(body) {
  const messages = body.messages.map(m => {
    const result = Array.isArray(m.content) && m.content.some(c => c.type === 'tool_result')
    return [result ? 'tool' : m.role, texts(m.content)]
  })
  return request(texts(body.system), messages, (body.tools ?? []).map(t => t.name))
}

function writeMessages(res, reply, { id, stream, model }) {
  const block = reply.tool ? { type: 'tool_use', id: `toolu_${id}`, name: reply.tool, input: reply.args } : { type: 'text', text: reply.text }
  const stop_reason = reply.tool ? 'tool_use' : 'end_turn'
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [block], stop_reason, stop_sequence: null, usage: { input_tokens: 100, output_tokens: 10 } }
  if (!stream) return res.write(JSON.stringify(message))
  const say = (type, data) => event(res, { type, ...data }, type)
  say('message_start', { message: { ...message, content: [], stop_reason: null } })
  say('content_block_start', { index: 0, content_block: reply.tool ? { ...block, input: {} } : { ...block, text: '' } })
  say('content_block_delta', { index: 0, delta: reply.tool ? { type: 'input_json_delta', partial_json: JSON.stringify(reply.args) } : { type: 'text_delta', text: reply.text } })
  say('content_block_stop', { index: 0 })
  say('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } })
  say('message_stop', {})
}

function readGemini(body) {
  const messages = (body.contents ?? []).map(c => {
    const answered = c.parts?.some(p => p.functionResponse)
    return [answered ? 'tool' : c.role === 'model' ? 'assistant' : 'user', (c.parts ?? []).map(p => p.text ?? JSON.stringify(p.functionResponse?.response ?? '')).join('\n')]
  })
  const tools = (body.tools ?? []).flatMap(t => (t.functionDeclarations ?? []).map(f => f.name))
  return request(texts(body.systemInstruction?.parts), messages, tools)
}

function writeGemini(res, reply, { stream }) {
  const part = reply.tool ? { functionCall: { name: reply.tool, args: reply.args } } : { text: reply.text }
  const answer = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 } }
  if (stream) event(res, answer)
  else res.write(JSON.stringify(answer))
}
