// The agents, and how each is run without a network and without a key: what its user has
// configured before, where the scripted model is, and how it is asked for its servers.
//
// `files` are what lies in its HOME before setup, {path: content}; `env` is for its process;
// `list` are the arguments that have it list its MCP servers, and what it says of one that is
// connected; `run` are those for one prompt; `read` and `shell` are how its model calls the
// tools that read a file and run a command; `hang` has it run with hooks that hang, and without
// Engram; `long` is a story of its own, with `delegate` for how its model starts a helper;
// `blind` says that it does not tell hooks how a command ended. `offline` is what cannot be
// seen here.
import * as claude from './claude.mjs'
import * as opencode from './opencode.mjs'

const json = value => JSON.stringify(value, null, 2) + '\n'

export const clients = [
  {
    name: 'claude-code', program: 'claude',
    files: () => ({ '.claude/settings.json': json({ cleanupPeriodDays: 30 }) }),
    env: model => ({
      ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'none', DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    list: { args: ['mcp', 'list'], connected: /engram\b.*✔ Connected/ },
    also: [
      { what: 'its own validator takes the plugin', args: ['plugin', 'validate', '$HOME/.claude/skills/engram'], good: /Validation passed/ },
      { what: 'lists the plugin', args: ['plugin', 'list'], good: /engram@skills-dir[\s\S]*✔ loaded/ },
      { what: 'counts its hooks and commands', args: ['plugin', 'details', 'engram'], good: /Skills \(\d+\).*forget, .*memory-status, .*recall, remember[\s\S]*Hooks \(10\)[\s\S]*MCP servers \(1\)/ },
    ],
    run: prompt => ['-p', prompt, '--allowedTools', 'mcp__plugin_engram_engram', 'Bash', 'Read'],
    read: path => ({ tool: 'Read', args: { file_path: path } }),
    shell: command => ({ tool: 'Bash', args: { command, description: 'a command' } }),
    long: claude.longSession,
    delegate: claude.delegate,
    offline: 'what its terminal asks is not seen',
  },
  {
    name: 'opencode', program: 'opencode',
    files: model => ({
      '.config/opencode/opencode.jsonc': `{
  // what its user has set
  "$schema": "https://opencode.ai/config.json",
  "autoupdate": false, "share": "disabled",
  "model": "scripted/scripted", "small_model": "scripted/scripted",
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/openai-compatible", "name": "Scripted",
      "options": { "baseURL": "${model}/v1", "apiKey": "none" },
      "models": { "scripted": { "name": "Scripted" } },
    },
  },
}
`,
    }),
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1', npm_config_fetch_retries: '0' }),
    list: { args: ['mcp', 'list'], connected: /✓\s+engram\s+connected/ },
    run: prompt => ['run', prompt],
    read: path => ({ tool: 'read', args: { filePath: path } }),
    shell: command => ({ tool: 'bash', args: { command, description: 'a command' } }),
    hang: true,
    long: opencode.longSession,
    delegate: opencode.delegate,
    offline: 'at each start it has npm fetch @opencode-ai/plugin beside its configuration, and waits for that; here npm is told to give up at once, else a start takes over a minute. The V2 plugin API is compiled against, not run',
  },
  {
    name: 'codex', program: 'codex',
    files: model => ({
      '.codex/config.toml': `# what its user has set
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted"
base_url = "${model}/v1"
wire_api = "responses"

[analytics]
enabled = false
`,
    }),
    env: () => ({}),
    list: { args: ['mcp', 'list'], connected: /^engram\s.*\benabled\b/m },
    run: prompt => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust', prompt],
    shell: command => ({ tool: 'exec_command', args: { cmd: command } }),
    blind: true,
    offline: 'it tells hooks what a command printed and not how it ended, so that a failure that was mended is no outcome here. `codex mcp list` says enabled and starts nothing; that it connects is seen by the tools in its session. Hooks have to be trusted in its terminal (/hooks); the run skips that with the flag for automation',
  },
  {
    name: 'gemini-cli', program: 'gemini',
    files: () => ({
      '.gemini/settings.json': json({
        security: { auth: { selectedType: 'gemini-api-key' } }, general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false },
      }),
    }),
    env: model => ({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model, GEMINI_TELEMETRY_ENABLED: 'false', GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    list: { args: ['mcp', 'list'], connected: /✓\s+engram\b.*Connected/ },
    also: [{ what: 'lists the extension', args: ['extensions', 'list'], good: /engram/ }],
    // Without a model of its own choice it asks another one first which to take.
    run: prompt => ['-p', prompt, '-m', 'gemini-2.5-flash', '--approval-mode', 'yolo'],
    read: path => ({ tool: 'read_file', args: { file_path: path } }),
    shell: command => ({ tool: 'run_shell_command', args: { command, description: 'a command' } }),
    offline: 'sign-in with an account; the run uses a key that nobody checks',
  },
  {
    name: 'pi', program: 'pi',
    files: model => ({
      '.pi/agent/models.json': json({ providers: { scripted: { baseUrl: `${model}/v1`, api: 'openai-completions', apiKey: 'none', models: [{ id: 'scripted' }] } } }),
    }),
    env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
    run: prompt => ['-p', '--provider', 'scripted', '--model', 'scripted', prompt],
    read: path => ({ tool: 'read', args: { path } }),
    shell: command => ({ tool: 'bash', args: { command } }),
    hang: true,
    offline: 'it has no list of servers: it speaks no MCP, and its tools are those of the extension',
  },
]
