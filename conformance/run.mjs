// Runs the public checks of the Model Context Protocol against a built engram, and prints
// a table: the conformance suite over HTTP, in three revisions, and the Inspector's command
// line over both transports in both eras. Usage: node run.mjs PATH/TO/engram
//
// Exits with 1 when something fails that expected.json does not explain, or when something
// that it explains does not fail any more.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
const modules = path.join(here, 'node_modules')
const engram = path.resolve(process.argv[2] ?? path.join(here, '../bin/engram'))
const world = fs.mkdtempSync(path.join(os.tmpdir(), 'engram-conformance-'))
const revisions = ['2025-06-18', '2025-11-25', '2026-07-28']
const env = { ...process.env, HOME: path.join(world, 'home'), ENGRAM_PROJECT: 'conformance' }
for (const name of Object.keys(env)) if (name.startsWith('ENGRAM_') && name !== 'ENGRAM_PROJECT') delete env[name]
const work = path.join(world, 'work')
for (const dir of [env.HOME, work]) fs.mkdirSync(dir)

// The tools want a newer Node than many machines have; npm brings one.
const [major, minor] = process.versions.node.split('.').map(Number)
const node = major > 22 || (major === 22 && minor >= 19) ? process.execPath : path.join(modules, 'node/bin/node')

let failed = false
const rows = []
function row(where, what, verdict, why = '') {
  if (verdict === 'FAILED') failed = true
  rows.push([where, what, verdict, why])
}

// serve starts the HTTP server on a port of the system's choice and returns its address.
async function serve() {
  const server = spawn(engram, ['serve', '0', '--data-dir', path.join(world, 'http')], { env, cwd: work, stdio: ['ignore', 'pipe', 'pipe'] })
  const url = await new Promise((found, lost) => {
    let said = ''
    const look = chunk => {
      said += chunk
      const address = /http:\/\/[^\s]+\/mcp(?=\s)/.exec(said)
      if (address) found(address[0])
    }
    server.stdout.on('data', look)
    server.stderr.on('data', look)
    server.on('exit', code => lost(new Error(`engram serve ended with ${code}: ${said}`)))
  })
  return { server, url: url + '?tools=all' }
}

// Some requests of these are made by hand and lose the query of the address; they are put
// to the server of the default tools.
const handmade = new Set(['http-header-validation'])

// suite runs the scenarios of one revision, or one of them, and returns what each came to.
function suite(url, revision, only) {
  const out = path.join(world, revision + (only ?? ''))
  const res = spawnSync(node, [path.join(modules, '@modelcontextprotocol/conformance/dist/index.js'), 'server',
    '--url', url, ...(only ? ['--scenario', only] : ['--suite', 'all']), '--spec-version', revision, '-o', out], { env, cwd: work, encoding: 'utf8', timeout: 300_000 })
  if (!fs.existsSync(out)) throw new Error(`the suite did not run: ${res.stdout}${res.stderr}${res.error ?? ''}`)
  const scenarios = []
  for (const dir of fs.readdirSync(out).sort()) {
    const name = dir.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    const checks = JSON.parse(fs.readFileSync(path.join(out, dir, 'checks.json'), 'utf8'))
    if (!only && handmade.has(name)) {
      scenarios.push(...suite(url.split('?')[0], revision, name))
      continue
    }
    scenarios.push({ name, passed: checks.filter(c => c.status === 'SUCCESS').length, failures: checks.filter(c => c.status === 'FAILURE') })
  }
  return scenarios
}

const { failures: expected } = JSON.parse(fs.readFileSync(path.join(here, 'expected.json'), 'utf8'))
const met = new Set()
function explanation(scenario, check) {
  const found = expected.find(e => e.scenarios.includes(scenario) && (!e.checks || e.checks.includes(check)))
  if (found) met.add(scenario)
  return found?.why
}

function conform(url) {
  for (const revision of revisions) {
    for (const { name, passed, failures } of suite(url, revision)) {
      const unexplained = failures.filter(c => !explanation(name, c.id))
      for (const c of unexplained) row(revision, name, 'FAILED', `${c.id}: ${c.errorMessage ?? ''}`)
      if (unexplained.length) continue
      if (failures.length) row(revision, name, 'explained', explanation(name, failures[0].id))
      else row(revision, name, passed ? 'passed' : 'nothing to check', passed ? `${passed} checks` : '')
    }
  }
  for (const scenario of expected.flatMap(e => e.scenarios)) {
    if (!met.has(scenario)) row('expected.json', scenario, 'FAILED', 'it no longer fails: take it out')
  }
}

// inspect calls one method with the Inspector's command line; good looks at the result.
function inspect(where, target, era, what, args, good) {
  const res = spawnSync(node, [path.join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js'), '--cli',
    '--protocol-era', era, '--format', 'json', '-q', ...args, ...target], { env, cwd: work, encoding: 'utf8', timeout: 60_000 })
  let result
  try {
    result = JSON.parse(res.stdout)
    result = result.result ?? result
  } catch {
    row(where, what, 'FAILED', `status ${res.status}: ${res.stdout}${res.stderr}${res.error ?? ''}`.slice(0, 300))
    return
  }
  let ok = false
  try { ok = res.status === 0 && !result.isError && good(result) } catch { /* not the shape that was asked for */ }
  row(where, what, ok ? 'passed' : 'FAILED', ok ? '' : `status ${res.status}: ${JSON.stringify(result)}`.slice(0, 300))
}

function inspectAll(where, target, era) {
  const call = (tool, args, good) => inspect(where, target, era, `tools/call ${tool}`, ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)], good)
  inspect(where, target, era, 'tools/list', ['--method', 'tools/list'], r => ['mem_search', 'memory_query', 'recall'].every(name => r.tools.some(t => t.name === name)))
  call('mem_save', { title: 'Chose Postgres', content: 'because of pgvector', type: 'decision' }, r => r.structuredContent.id > 0)
  call('mem_search', { query: 'postgres' }, r => r.structuredContent.results.length > 0)
  call('memory_store', { content: 'Deploys happen on Tuesdays.', type: 'fact' }, r => r.content.length === 1)
  call('memory_query', { query: 'deploys' }, r => r.content[0].text.includes('Tuesdays'))
  call('remember', { content: 'The staging server is called Bertha.' }, r => r.content.length === 1)
  call('recall', { query: 'staging server' }, r => r.content[0].text.includes('Bertha'))
  inspect(where, target, era, 'resources/list', ['--method', 'resources/list'], r => r.resources.length > 0)
  inspect(where, target, era, 'resources/templates/list', ['--method', 'resources/templates/list'], r => r.resourceTemplates.some(t => t.uriTemplate === 'engram://memories/{id}'))
  inspect(where, target, era, 'prompts/list', ['--method', 'prompts/list'], r => r.prompts.some(p => p.name === 'recall_context'))
  inspect(where, target, era, 'prompts/get', ['--method', 'prompts/get', '--prompt-name', 'recall_context', '--prompt-args', 'topic=deploys'], r => r.messages.length > 0)
}

const { server, url } = await serve()
try {
  conform(url)
  for (const era of ['legacy', 'modern']) {
    inspectAll(`inspector http ${era}`, ['--server-url', url, '--transport', 'http'], era)
    inspectAll(`inspector stdio ${era}`, ['--', engram, 'mcp', '--tools=all', '--data-dir', path.join(world, `stdio-${era}`)], era)
  }
} finally {
  server.removeAllListeners('exit')
  server.kill()
}

const width = i => Math.max(...rows.map(r => r[i].length))
for (const r of rows) console.log([0, 1, 2].map(i => r[i].padEnd(width(i))).join('  ') + '  ' + r[3].replaceAll('\n', ' '))
const count = verdict => rows.filter(r => r[2] === verdict).length
console.log(`\n${count('passed')} passed, ${count('explained')} explained, ${count('nothing to check')} with nothing to check, ${count('FAILED')} failed`)
if (failed) console.log(`what was said stands in ${world}`)
else fs.rmSync(world, { recursive: true, force: true })
process.exitCode = failed ? 1 : 0
