// What Claude Code does in a long session: a helper, a compaction, and going on after it.
import { found } from './opencode.mjs'

// delegate is how the model starts a helper.
export const delegate = tools => ({ tool: tools.find(t => t === 'Task' || t === 'Agent'), args: { description: 'look around', prompt: 'HELPER: look around.', subagent_type: 'general-purpose' } })

// longSession returns rows [what, ok, why].
export async function longSession({ agent, model, list }) {
  const rows = []
  const more = ['--allowedTools', 'mcp__plugin_engram_engram', 'Bash', 'Read', 'Task', 'Agent']

  const first = await agent(['-p', 'DELEGATE the look around.', ...more])
  rows.push(['a helper works', first.status === 0 && model.asked.some(r => r.prompt.includes('HELPER: look around.')), `status ${first.status}: ${first.out}${first.err}`])
  const learned = JSON.stringify(await list('list'))
  rows.push(['what a helper learned is kept', learned.includes(found), learned])
  const prompts = JSON.stringify(await list('prompt', 'list'))
  rows.push(['what a helper was told is no prompt of a person', prompts.includes('DELEGATE') && !prompts.includes('HELPER'), prompts])
  const { sessions } = await list('session', 'list')
  rows.push(['a helper begins no session', sessions.length === 1, JSON.stringify(sessions)])

  const compacted = await agent(['-p', '--continue', '/compact', ...more])
  rows.push(['a compaction asks the model', compacted.status === 0 && model.asked.at(-1).text.includes('summary'), `status ${compacted.status}: ${compacted.out}${compacted.err}`])
  const before = model.asked.length
  const on = await agent(['-p', '--continue', 'Go on.', ...more])
  const told = model.asked.slice(before).filter(r => r.tools.length)
  rows.push(['after a compaction it is told the context again', on.status === 0 && told.some(r => r.text.includes('port 8443 is closed')), `status ${on.status}: ${on.out}${on.err}${told[0]?.text.slice(-500)}`])
  return rows
}
