// Wires real agents with `engram setup` and runs them on this machine against a scripted model,
// without a key. Prints a table, and exits with 1 when something failed.
//
//   node run.mjs PATH/TO/engram [CLIENT…]
//
// Each client has an empty HOME. Where the system allows it the whole run has no network but
// loopback (a network namespace of its own), so that nothing can be fetched unseen.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { clients } from './clients.mjs'
import { serve } from './model.mjs'
import { found } from './opencode.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const bin = path.join(here, 'node_modules/.bin')
const [given = path.join(here, '../bin/engram'), ...only] = process.argv.slice(2)
const program = path.resolve(given) // agents run elsewhere

const alone = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
if (!process.env.ENGRAM_AGENTS_ALONE && spawnSync('unshare', [...alone, 'true']).status === 0) {
  const again = spawnSync('unshare', [...alone, process.execPath, ...process.argv.slice(1)], { stdio: 'inherit', env: { ...process.env, ENGRAM_AGENTS_ALONE: '1' } })
  process.exit(again.status ?? 1)
}

const world = fs.mkdtempSync(path.join(os.tmpdir(), 'engram-agents-'))
const rows = []
function row(client, what, ok, why = '') {
  rows.push([client, what, ok ? 'passed' : 'FAILED', ok ? '' : String(why).replace(/\s+/g, ' ').slice(0, 400)])
  console.error(rows.at(-1).join('  '))
}

const plain = text => text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '') // without colours

// run starts a program and returns how it ended; it has as long as a slow machine needs.
function run(command, args, options) {
  return new Promise(done => {
    let out = '', err = ''
    const started = Date.now()
    const p = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options })
    const end = () => { try { process.kill(-p.pid, 'SIGKILL') } catch { /* it is over */ } }
    const timer = setTimeout(end, 180_000)
    p.stdout.on('data', b => { out += b })
    p.stderr.on('data', b => { err += b })
    p.on('error', e => done({ status: -1, out, err: String(e), ms: 0 }))
    p.on('close', status => { clearTimeout(timer); end(); done({ status, out: plain(out), err: plain(err), ms: Date.now() - started }) })
  })
}

// tree is every file of a folder with its content.
function tree(dir, at = '') {
  const found = {}
  for (const e of fs.readdirSync(path.join(dir, at), { withFileTypes: true })) {
    const name = path.join(at, e.name)
    if (e.isDirectory()) Object.assign(found, { [name + '/']: '' }, tree(dir, name))
    else if (e.isFile()) found[name] = fs.readFileSync(path.join(dir, name), 'latin1')
  }
  return found
}
const own = name => name.startsWith('.engram') || name.startsWith('tmp/') // the data of Engram itself, and what nobody keeps
const difference = (a, b) => [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(name => !own(name) && a[name] !== b[name])

// What the model does: it saves what it is to remember, reads what it is to read, mends what is
// broken, and says what it learned.
const fact = { title: 'The staging server is called Bertha', content: '**What**: the staging server is called Bertha and listens on port 8443.', type: 'config' }
const learned = 'Bertha only answers while the office VPN is up.'
const mending = ['sh deploy.sh', 'sh connect.sh', 'sh deploy.sh']
const script = client => request => {
  const save = request.tools.find(t => t.endsWith('mem_save'))
  if (!save) return { text: 'A session about a server' } // a title, a summary: nothing that has tools
  const file = /LOOK AT ([^\s"]+)/.exec(request.prompt)?.[1]
  if (request.prompt.includes('REMEMBER') && request.results === 0) return { tool: save, args: fact }
  if (file && client.read && request.results === 0) return client.read(file)
  if (request.prompt.includes('MEND') && request.results < mending.length) return client.shell(mending[request.results])
  if (request.prompt.includes('HELPER')) return { text: `A report.\n\n## Key Learnings:\n\n1. ${found}\n` }
  if (request.prompt.includes('DELEGATE') && request.results === 0) return client.delegate(request.tools)
  return { text: `Done.\n\n## Key Learnings:\n\n1. ${learned}\n` }
}

// place is a HOME of its own with the client in it, and a model to talk to.
async function place(client, label = client.name) {
  const home = path.join(world, label)
  const work = path.join(home, 'shop')
  fs.mkdirSync(work, { recursive: true })
  const model = await serve(script(client))
  const engram = path.join(world, `${label} bin`, 'engram') // a blank in it, as real paths have
  fs.mkdirSync(path.dirname(engram))
  fs.copyFileSync(program, engram)
  fs.chmodSync(engram, 0o755)
  for (const [file, text] of Object.entries(client.files(model.url))) {
    fs.mkdirSync(path.join(home, path.dirname(file)), { recursive: true })
    fs.writeFileSync(path.join(home, file), text)
  }
  const tmp = path.join(home, 'tmp')
  fs.mkdirSync(tmp)
  const env = {
    PATH: `${bin}:${process.env.PATH}`, // in which there is a Node as new as the clients want it
    HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', NO_COLOR: '1', CI: '1', DO_NOT_TRACK: '1', TMPDIR: tmp, ...client.env(model.url),
  }
  const options = { cwd: work, env }
  const ask = (...args) => run(engram, args, options)
  const agent = args => run(path.join(bin, client.program), args, options)
  const list = async (...what) => JSON.parse((await ask(...what, '--json')).out)
  const close = () => {
    fs.writeFileSync(path.join(home, 'asked.json'), JSON.stringify(model.asked, null, 1))
    model.close()
  }
  await run('git', ['init', '-q'], options)
  return { home, work, model, engram, options, ask, agent, list, close }
}

async function check(client) {
  const { home, work, model, engram, ask, agent, list, close } = await place(client)
  try {
    fs.writeFileSync(path.join(work, 'deploy.txt'), 'deploy to Bertha\n')
    fs.writeFileSync(path.join(work, 'deploy.sh'), 'test -e vpn || { echo "error: vpn is down" >&2; exit 3; }\necho deployed\n')
    fs.writeFileSync(path.join(work, 'connect.sh'), 'touch vpn\n')
    await wiring(client, home, ask)
    await listing(client, home, agent)
    await sessions(client, work, model, agent, list)
    if (client.hang) await trouble(client, engram, model, agent)
    await leaving(client, home, ask)
  } finally {
    close()
  }
  if (client.long) await atLength(client)
}

// atLength: what belongs to a session that is longer than one prompt.
async function atLength(client) {
  const { model, options, ask, agent, list, close } = await place(client, `${client.name}-long`)
  try {
    await ask('setup', client.name)
    for (const [what, ok, why] of await client.long({ program: path.join(bin, client.program), options, model, agent, list })) row(client.name, what, ok, why)
  } finally {
    close()
  }
}

// wiring: once is enough, and undo leaves what was there.
async function wiring({ name }, home, ask) {
  const before = tree(home)
  const set = await ask('setup', name)
  const after = tree(home)
  row(name, 'setup', set.status === 0 && difference(before, after).length > 0, set.out + set.err)
  await ask('setup', name)
  row(name, 'setup again changes nothing', difference(after, tree(home)).length === 0, difference(after, tree(home)))
  const undo = await ask('setup', name, '--undo')
  row(name, 'undo restores every byte', undo.status === 0 && difference(before, tree(home)).length === 0, undo.err + difference(before, tree(home)))
  await ask('setup', name)
  row(name, 'setup after undo does the same', difference(after, tree(home)).length === 0, difference(after, tree(home)))
}

async function listing({ name, list, also = [] }, home, agent) {
  if (list) {
    const said = await agent(list.args)
    row(name, `${list.args.join(' ')} shows engram`, said.status === 0 && list.connected.test(said.out + said.err), said.out + said.err)
  }
  for (const { what, args, good } of also) {
    const said = await agent(args.map(a => a.replace('$HOME', home)))
    row(name, what, said.status === 0 && good.test(said.out + said.err), said.out + said.err)
  }
}

// sessions: two processes of the agent, and the second knows what the first one saved.
async function sessions(client, work, model, agent, list) {
  const { name, run: prompt, read, blind } = client
  const first = await agent(prompt('REMEMBER where we deploy to.'))
  const [begin, end] = [model.asked[0], model.asked.findLast(r => r.tools.length)]
  row(name, 'a session on the scripted model ends well', first.status === 0 && first.out.includes('Key Learnings'), `status ${first.status}: ${first.out}${first.err}`)
  row(name, 'the model is offered the tools and told the protocol', Boolean(end) && end.text.includes('Engram is persistent memory'), JSON.stringify(begin?.tools))
  row(name, 'the model saves through its tool', model.asked.some(r => r.reply.tool?.endsWith('mem_save')) && end.results === 1, JSON.stringify(end?.text.slice(-300)))
  const kept = await list('search', 'Bertha')
  row(name, 'what it saved is kept', JSON.stringify(kept).includes(fact.title), JSON.stringify(kept))

  // A hook says nothing when it is out of time, which a busy machine may have it be: the third
  // session is as good as the second.
  let second, told = [], tries = 0
  do {
    const seen = model.asked.length
    second = await agent(prompt('Where do we deploy to?'))
    told = model.asked.slice(seen).filter(r => r.tools.length)
  } while (++tries < 4 && !told.some(r => r.text.includes('Bertha')))
  row(name, 'a second session ends well', second.status === 0 && told.length > 0, `status ${second.status}: ${second.out}${second.err}`)
  row(name, 'it is told what the first one saved, unasked', told.some(r => r.text.includes('Bertha')), told.at(-1)?.text.slice(-600))
  row(name, 'not in the system prompt', told.every(r => !r.system.includes('Bertha')), told[0]?.system.slice(0, 200))
  client.usual = Math.max(first.ms, second.ms)
  // What a hook could not write in time, the next one has written.
  const prompts = JSON.stringify(await list('prompt', 'list'))
  row(name, 'the prompt is kept', prompts.includes('REMEMBER where we deploy to.'), prompts)
  const learnings = JSON.stringify(await list('search', 'office VPN'))
  row(name, 'the learnings of the answer are kept', learnings.includes(learned), learnings)
  const { sessions: began } = await list('session', 'list')
  row(name, 'the sessions have begun and ended', began.length > 1 && began.some(s => s.ended_at), JSON.stringify(began))

  let mended, outcome = '', attempts = 0
  do {
    fs.rmSync(path.join(work, 'vpn'), { force: true })
    mended = await agent(prompt('MEND the deployment.'))
    outcome = JSON.stringify(await list('list'))
  } while (++attempts < 3 && !blind && !outcome.includes('outcome/'))
  const saw = model.asked.at(-1).text
  row(name, 'a command fails, and passes later', mended.status === 0 && saw.includes('vpn is down') && saw.includes('deployed'), `status ${mended.status}: ${mended.out}${mended.err}`)
  if (!blind) row(name, 'what mended it is kept as an outcome', outcome.includes('outcome/') && outcome.includes('sh connect.sh'), outcome)
  if (!read) return
  const third = await agent(prompt(`LOOK AT ${path.join(work, 'deploy.txt')}`))
  row(name, 'a file is read with hooks around it', third.status === 0 && model.asked.at(-1).text.includes('deploy to Bertha'), `status ${third.status}: ${third.out}${third.err}`)
}

// trouble: an engram that hangs in hooks, or is gone, is nothing that the agent's user notices.
async function trouble({ name, run: prompt, usual }, engram, model, agent) {
  const real = engram + '-real'
  fs.renameSync(engram, real)
  fs.writeFileSync(engram, `#!/bin/sh\n[ "$1" = hook ] && exec sleep 100\nexec '${real}' "$@"\n`, { mode: 0o755 })
  const hanging = await agent(prompt('Go on.'))
  row(name, 'hooks that hang hold nothing up', hanging.status === 0 && hanging.out.includes('Done.') && hanging.ms < 2 * usual + 6_000, `status ${hanging.status} after ${hanging.ms} ms, usually ${usual}: ${hanging.out}${hanging.err}`)
  fs.rmSync(engram)
  const gone = model.asked.length
  const without = await agent(prompt('Go on.'))
  row(name, 'without engram it works as before', without.status === 0 && model.asked.length > gone, `status ${without.status}: ${without.out}${without.err}`)
  fs.renameSync(real, engram)
}

// leaving: the client has written its own files meanwhile; ours are gone.
async function leaving({ name, files }, home, ask) {
  const wired = JSON.parse((await ask('setup', 'status', name, '--json')).out).agents.flatMap(a => a.files.map(f => f.path))
  const undo = await ask('setup', name, '--undo')
  const left = wired.filter(file => fs.existsSync(file) && /engram/i.test(fs.readFileSync(file, 'utf8')))
  row(name, 'undo after the sessions leaves nothing of ours', undo.status === 0 && wired.length > 0 && left.length === 0, undo.err + left)
  for (const [file, text] of Object.entries(files(''))) {
    const now = fs.readFileSync(path.join(home, file), 'utf8').replace(/http:\/\/127\.0\.0\.1:\d+/g, '')
    row(name, `${file} is its user's again`, now === text, now)
  }
}

// compiling: the plugins in TypeScript, as setup installs them, against what their agents publish.
async function compiling() {
  const dir = path.join(world, 'types')
  fs.mkdirSync(dir)
  fs.symlinkSync(path.join(here, 'node_modules'), path.join(dir, 'node_modules'))
  fs.copyFileSync(path.join(here, 'check.ts'), path.join(dir, 'check.ts'))
  const set = await run(program, ['setup', 'opencode', 'pi', '--json'], { cwd: dir, env: { PATH: process.env.PATH, HOME: dir } })
  for (const agent of JSON.parse(set.out).agents) {
    fs.copyFileSync(agent.files.find(f => path.basename(f.path) === 'engram.ts').path, path.join(dir, `${agent.agent}.ts`))
  }
  const compilerOptions = {
    strict: true, noEmit: true, noUnusedLocals: true, noUncheckedIndexedAccess: true, skipLibCheck: true,
    target: 'es2023', lib: ['es2024'], module: 'esnext', moduleResolution: 'bundler', types: ['node'],
  }
  fs.writeFileSync(path.join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['check.ts'] }))
  const tsc = await run(path.join(bin, 'tsc'), ['-p', dir], { cwd: dir })
  row('types', 'OpenCode V1 and V2, and Pi', tsc.status === 0, tsc.out + tsc.err)
}

if (!only.length) await compiling()
for (const client of clients) if (!only.length || only.includes(client.name)) await check(client)

const width = i => Math.max(...rows.map(r => r[i].length))
for (const r of rows) console.log([0, 1, 2].map(i => r[i].padEnd(width(i))).join('  ') + '  ' + r[3])
const failed = rows.filter(r => r[2] === 'FAILED').length
console.log(`\n${rows.length - failed} passed, ${failed} failed; ${process.env.ENGRAM_AGENTS_ALONE ? 'without a network' : 'the network was there: unshare is not'}`)
for (const c of clients) console.log(`${c.name}: ${c.offline}.`)
if (failed) console.log(`what was said stands in ${world}`)
else fs.rmSync(world, { recursive: true, force: true })
process.exitCode = failed ? 1 : 0
