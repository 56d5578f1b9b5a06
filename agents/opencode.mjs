// What OpenCode does in a long session: its server is driven over HTTP on loopback, through a
// helper that it starts, a compaction, and the end of the session.
import { spawn } from 'node:child_process'

// found is what the helper reports; it learns something that nobody else says.
export const found = 'The helper saw that port 8443 is closed on Sundays.'

// delegate is how the model starts a helper.
export const delegate = () => ({ tool: 'task', args: { description: 'look around', prompt: 'HELPER: look around.', subagent_type: 'general' } })

// longSession returns rows [what, ok, why].
export async function longSession({ program, options, model, list }) {
  const rows = []
  const server = spawn(program, ['serve', '--hostname', '127.0.0.1', '--port', '0'], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const url = await new Promise((ready, lost) => {
      let said = ''
      const look = chunk => {
        said += chunk
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)
        if (address) ready(address[0])
      }
      server.stdout.on('data', look)
      server.stderr.on('data', look)
      server.on('exit', code => lost(new Error(`opencode serve ended with ${code}: ${said}`)))
    })
    const call = async (method, path, body) => {
      const answer = await fetch(`${url}${path}`, {
        method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body), signal: AbortSignal.timeout(120_000),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text ? JSON.parse(text) : undefined
    }
    const { id } = await call('POST', '/session', {})
    const say = text => call('POST', `/session/${id}/message`, { parts: [{ type: 'text', text }] })

    await say('DELEGATE the look around.')
    const helped = model.asked.find(r => r.prompt.includes('HELPER: look around.'))
    rows.push(['a helper works in a session of its own', Boolean(helped), JSON.stringify(model.asked.at(-1)?.reply)])
    await settle()
    const learned = JSON.stringify(await list('list'))
    rows.push(['what a helper learned is kept', learned.includes(found), learned])
    const prompts = JSON.stringify(await list('prompt', 'list'))
    rows.push(['what a helper was told is no prompt of a person', prompts.includes('DELEGATE') && !prompts.includes('HELPER'), prompts])
    const ids = (await list('session', 'list')).sessions.map(s => s.id)
    rows.push(['a helper begins no session', ids.length === 1 && ids[0].includes(id), ids])

    const before = model.asked.length
    await call('POST', `/session/${id}/summarize`, { providerID: 'scripted', modelID: 'scripted' })
    rows.push(['a compaction asks the model', model.asked.length > before, ''])
    await settle()
    const after = model.asked.length
    await say('Go on.')
    const told = model.asked.slice(after).filter(r => r.tools.length)
    rows.push(['after a compaction it is told the context again', told.some(r => r.text.includes('port 8443 is closed')), told[0]?.text.slice(-800)])
    await say('And on.')
    rows.push(['once', occurrences(model.asked.at(-1).text, 'port 8443 is closed') === 1, occurrences(model.asked.at(-1).text, 'port 8443 is closed')])

    await call('DELETE', `/session/${id}`)
    await settle()
    const { sessions } = await list('session', 'list')
    rows.push(['a session that is deleted has ended', sessions.some(s => s.ended_at), JSON.stringify(sessions)])
  } catch (e) {
    rows.push(['a long session', false, e.stack])
  } finally {
    server.removeAllListeners('exit')
    server.kill()
  }
  return rows
}

// settle waits for hooks that nobody waits for.
const settle = () => new Promise(done => setTimeout(done, 2000))

const occurrences = (text, what) => text.split(what).length - 1
