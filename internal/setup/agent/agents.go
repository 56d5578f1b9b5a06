package agent

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/setup"
)

// claudeCode gets a plugin in the folder of skills, which it loads as engram@skills-dir: hooks, MCP
// server, skill and commands, without a line in the user's own files.
//
// Source: code.claude.com/docs/en/plugins; tested with version 2.1.197.
func claudeCode() Agent {
	dir := func(e Env) string { return e.moved("CLAUDE_CONFIG_DIR", e.home(".claude")) }
	return Agent{
		Name: "claude-code", Title: "Claude Code", Aliases: []string{"claude", "cc"},
		Next:     "Start a new session; /plugin shows engram.",
		traces:   func(e Env) []string { return []string{dir(e), e.home(".claude.json")} },
		programs: []string{"claude"},
		parts: func(e Env) ([]setup.Part, error) {
			return e.whole("claude-code", e.join(dir(e), "skills", "engram"), nil)
		},
		warns: func(e Env, read func(string) []byte) []string { return claudeWarnings(e, dir(e), read) },
	}
}

// codex gets the MCP server as a table, hooks, and the protocol in AGENTS.md, because it runs hooks
// only after its user has confirmed them.
//
// Source: developers.openai.com/codex/config-reference and /hooks; the events are those in the
// program of version 0.169.0.
func codex() Agent {
	dir := func(e Env) string { return e.moved("CODEX_HOME", e.home(".codex")) }
	return Agent{
		Name: "codex", Title: "Codex", Aliases: []string{"codex-cli", "openai-codex"},
		Next:     "Start a new session, and type /hooks once to trust the hooks of engram.",
		traces:   func(e Env) []string { return []string{dir(e)} },
		programs: []string{"codex"},
		parts: func(e Env) ([]setup.Part, error) {
			hooks, err := e.hooks(e.native(), "codex", inGroup,
				"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact", "SubagentStop", "Stop", "SessionEnd")
			return []setup.Part{
				e.tomlFile(e.join(dir(e), "config.toml"), []string{"mcp_servers", "engram"}, codexServer(e)),
				jsonFile(e.join(dir(e), "hooks.json"), hooks...),
				markdownFile(e.join(dir(e), "AGENTS.md"), e.protocol(true)),
			}, err
		},
	}
}

func codexServer(e Env) string {
	return "command = " + text(e.Engram) + "\nargs = [" + strings.Join(document.Each(e.args("mcp"), text), ", ") + "]\n"
}

// geminiCLI gets an extension in a folder of ours, without a line in its user's settings. It passes
// the instructions of MCP servers to its model, so the protocol needs no file.
//
// Source: geminicli.com/docs/extensions/reference and /hooks/reference; tested with version 0.61.0.
func geminiCLI() Agent {
	dir := func(e Env) string { return e.join(e.moved("GEMINI_CLI_HOME", e.Home), ".gemini") }
	return Agent{
		Name: "gemini-cli", Title: "Gemini CLI", Aliases: []string{"gemini"},
		Next: "Start a new session; gemini extensions list shows engram.",
		traces: func(e Env) []string {
			return []string{e.join(dir(e), "settings.json"), e.join(dir(e), "oauth_creds.json"), e.join(dir(e), "extensions")}
		},
		programs: []string{"gemini"},
		parts: func(e Env) ([]setup.Part, error) {
			to := e.join(dir(e), "extensions", "engram")
			sh := e.native()
			if sh == cmd {
				sh = powershell // which it uses on Windows
			}
			hooks, err := e.hooks(sh, "gemini-cli", func(line string) any {
				return nested{Hooks: []hookCommand{{Type: "command", Command: line, Timeout: hookTimeout * 1000}}}
			}, "SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd")
			if err != nil {
				return nil, err
			}
			events, err := made(hooks...)
			if err != nil {
				return nil, err
			}
			manifest, err := json.MarshalIndent(extension{
				Name: "engram", Version: e.version(), Description: "A memory that outlives the session",
				Servers: map[string]server{"engram": literal(e.server())},
			}, "", "  ")
			if err != nil {
				return nil, err
			}
			said, err := e.entriesOf("gemini-cli", manifest)
			return []setup.Part{
				own(e.join(to, "gemini-extension.json"), append(manifest, '\n'), said...),
				own(e.join(to, "hooks", "hooks.json"), events, hooks...),
			}, err
		},
	}
}

// extension is its manifest.
type extension struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Servers     map[string]server `json:"mcpServers"`
}

// openCode gets a plugin, and the MCP server in its existing configuration file.
//
// Source: opencode.ai/docs/config, /plugins and /mcp-servers; tested with version 1.18.33.
func openCode() Agent {
	dir := func(e Env) string { return e.moved("OPENCODE_CONFIG_DIR", e.config("opencode")) }
	return Agent{
		Name: "opencode", Title: "OpenCode", Aliases: []string{"open-code"},
		Next:     "Restart OpenCode; opencode mcp list shows engram.",
		reads:    []string{"{env:", "{file:"},
		traces:   func(e Env) []string { return []string{dir(e), e.home(".opencode")} },
		programs: []string{"opencode"},
		parts: func(e Env) ([]setup.Part, error) {
			parts, err := e.whole("opencode", dir(e), openCodeFile)
			for n, p := range parts {
				parts[n].Yields = filepath.Ext(p.Path) == ".md" // each command is useful without the others
			}
			entry := struct {
				Type    string   `json:"type"`
				Command []string `json:"command"`
				Enabled bool     `json:"enabled"`
			}{"local", append([]string{e.Engram}, e.args("mcp")...), true}
			at := e.member(entry, []string{"mcp", "engram"}, "enabled")
			names := []string{"opencode.json", "opencode.jsonc"}
			config := jsonFile(firstOf(e, dir(e), names...), at)
			for _, name := range names {
				if other := jsonFile(e.join(dir(e), name), at); other.Path != config.Path {
					config.Instead = append(config.Instead, other)
				}
			}
			return append(parts, config), err
		},
	}
}

// openCodeFile returns an asset's target: plugins for a plugin, a folder for commands.
func openCodeFile(name string) (to string, ok bool) {
	switch {
	case name == "engram.ts":
		return "plugins/engram.ts", true
	case strings.HasPrefix(name, "plugins/"), strings.HasPrefix(name, "command"):
		return name, path.Ext(name) == ".ts" || path.Ext(name) == ".md"
	}
	return "", false
}

// firstOf returns the last existing file of these names, which takes precedence when read, else the
// first.
func firstOf(e Env, dir string, names ...string) string {
	found := e.join(dir, names[0])
	for _, name := range names[1:] {
		if exists(e.join(dir, name)) {
			found = e.join(dir, name)
		}
	}
	return found
}

// pi gets an extension, which does everything: pi has hooks and no MCP.
//
// Source: the extensions page of pi-coding-agent.
func pi() Agent {
	dir := func(e Env) string { return e.moved("PI_CODING_AGENT_DIR", e.home(".pi", "agent")) }
	return Agent{
		Name: "pi", Title: "Pi", Aliases: []string{"pi-coding-agent", "pi-agent"},
		Next:   "Start a new session, or type /reload.",
		traces: func(e Env) []string { return []string{dir(e), e.home(".pi")} }, // many programs are named pi
		parts: func(e Env) ([]setup.Part, error) {
			return e.whole("pi", e.join(dir(e), "extensions"), func(name string) (string, bool) { return name, name == "engram.ts" })
		},
	}
}

// kiro gets the MCP server, and the protocol as a steering file of ours. Its hooks belong to one
// project or one of the user's agents, and are not touched.
//
// Source: kiro.dev/docs/mcp/configuration, /docs/steering and /docs/cli/chat/configuration. Not
// tested.
func kiro() Agent {
	return Agent{
		Name: "kiro", Title: "Kiro", Aliases: []string{"kiro-cli", "kiro-ide", "amazon-q"},
		Next:     "Start a new session; the MCP servers of Kiro show engram.",
		reads:    []string{"${"},
		traces:   func(e Env) []string { return []string{e.home(".kiro")} },
		programs: []string{"kiro", "kiro-cli"},
		parts: func(e Env) ([]setup.Part, error) {
			return []setup.Part{
				setup.Whole(e.home(".kiro", "steering", "engram.md"), []byte("---\ninclusion: always\n---\n\n"+e.protocol(false)), 0),
				e.mcpFile(e.home(".kiro", "settings", "mcp.json")),
			}, nil
		},
	}
}

// claudeDesktop gets the MCP server, which is all that it supports.
//
// Source: modelcontextprotocol.io/docs/develop/connect-local-servers. Not tested. For Linux there
// are only unofficial builds, with files in ~/.config/Claude.
func claudeDesktop() Agent {
	return Agent{
		Name: "claude-desktop", Title: "Claude Desktop", Aliases: []string{"claude-app"},
		Next:   "Quit Claude Desktop and start it again.",
		traces: func(e Env) []string { return []string{e.appData("Claude")} },
		parts: func(e Env) ([]setup.Part, error) {
			return []setup.Part{e.mcpFile(e.appData("Claude", "claude_desktop_config.json"))}, nil
		},
	}
}

// antigravity gets the MCP server, and the skill with its scripts. It has used two folders: the
// existing one gets both, or each if both exist.
//
// Source: antigravity.google/docs/mcp and /docs/skills. Not tested: there is no client to run.
func antigravity() Agent {
	return Agent{
		Name: "antigravity", Title: "Antigravity", Aliases: []string{"google-antigravity", "agy"},
		Next:     "Restart Antigravity, and look at Manage MCP Servers.",
		traces:   func(e Env) []string { return append(antigravityRoots(e), e.home(".antigravity")) },
		programs: []string{"antigravity", "agy"},
		parts: func(e Env) ([]setup.Part, error) {
			var parts []setup.Part
			roots := antigravityRoots(e)
			there := false
			for n, root := range roots {
				if !exists(root) && (there || n < len(roots)-1) {
					continue
				}
				there = true
				skill, err := e.whole("antigravity", e.join(root, "skills", "engram"), nil)
				if err != nil {
					return nil, err
				}
				parts = append(append(parts, skill...), e.mcpFile(e.join(root, "mcp_config.json")))
			}
			return parts, nil
		},
	}
}

// antigravityRoots returns its folders, the current one last.
func antigravityRoots(e Env) []string {
	return []string{e.home(".gemini", "antigravity"), e.home(".gemini", "config")}
}

// cursor gets the MCP server, hooks, and the protocol as a skill: its global rules are in its own
// database, which other programs cannot write.
//
// Source: cursor.com/docs/context/mcp, /docs/agent/hooks and /docs/context/skills. Not tested.
func cursor() Agent {
	return Agent{
		Name: "cursor", Title: "Cursor", Aliases: []string{"cursor-agent", "cursor-cli"},
		Next:     "Restart Cursor; Settings, MCP shows engram.",
		reads:    []string{"${"},
		traces:   func(e Env) []string { return []string{e.home(".cursor")} },
		programs: []string{"cursor", "cursor-agent"},
		parts: func(e Env) ([]setup.Part, error) {
			hooks, err := e.hooks(e.native(), "cursor", func(line string) any { return hookCommand{Command: line} },
				"sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure", "preCompact", "subagentStop", "stop", "sessionEnd")
			return []setup.Part{
				e.skill(e.home(".cursor", "skills", "engram", "SKILL.md")),
				e.mcpFile(e.home(".cursor", "mcp.json")),
				jsonFile(e.home(".cursor", "hooks.json"), append([]entry{usual(1, "version")}, hooks...)...),
			}, err
		},
	}
}

// vsCode gets the MCP server in the user's mcp.json, and hooks in a file of ours, which Copilot
// reads in VS Code and on the command line. If there is only the latter, the server goes into its
// configuration instead: VS Code reads that, too, and would start two.
//
// Source: code.visualstudio.com/docs/copilot/reference/mcp-configuration and
// /docs/agents/reference/hooks-reference. Not tested.
func vsCode() Agent {
	copilot := func(e Env) string { return e.moved("COPILOT_HOME", e.home(".copilot")) }
	return Agent{
		Name: "vscode", Title: "VS Code (GitHub Copilot)", Aliases: []string{"code", "vs-code", "copilot", "github-copilot", "vscode-copilot", "copilot-cli"},
		Next:  "Restart VS Code; MCP: List Servers shows engram, and asks once whether to trust it.",
		reads: []string{"${"},
		traces: func(e Env) []string {
			if vsCodeThere(e) {
				return []string{e.appData("Code", "User"), copilot(e)}
			}
			return []string{copilot(e)}
		},
		programs: []string{"code", "copilot"},
		parts: func(e Env) ([]setup.Part, error) {
			hooks, err := e.hooks(e.native(), "vscode", func(line string) any { return hookCommand{Type: "command", Command: line, Timeout: hookTimeout} },
				"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "SubagentStop", "Stop")
			if err != nil {
				return nil, err
			}
			hooks = append([]entry{usual(1, "version")}, hooks...)
			events, err := made(hooks...)
			servers := jsonFile(e.appData("Code", "User", "mcp.json"), e.member(typed(e.server(), "stdio"), []string{"servers", "engram"}))
			command := jsonFile(e.join(copilot(e), "mcp-config.json"), e.member(typed(e.server(), "local"), []string{"mcpServers", "engram"}))
			if !vsCodeThere(e) && exists(copilot(e)) {
				servers, command = command, servers
			}
			servers.Instead = []setup.Part{command}
			return []setup.Part{servers, own(e.join(copilot(e), "hooks", "engram.json"), events, hooks...)}, err
		},
	}
}

// vsCodeThere reports whether VS Code has a folder that was not just created by a setup of Cline.
func vsCodeThere(e Env) bool {
	for dir, only := range map[string]string{e.appData("Code", "User"): "globalStorage", e.appData("Code", "User", "globalStorage"): clineID} {
		if all, err := os.ReadDir(dir); err == nil && !(len(all) == 1 && all[0].Name() == only) {
			return true
		}
	}
	return false
}

// typed returns a server with its type.
func typed(s server, kind string) server {
	s.Type = kind
	return s
}

// rulesRead is how many characters Windsurf reads of global_rules.md: it cuts off the rest.
//
// Source: docs.windsurf.com/windsurf/cascade/memories.
const rulesRead = 6000

// windsurf gets the MCP server, hooks, and the protocol in the global rules, because its hooks
// cannot address the model. As Devin Desktop it keeps its servers elsewhere.
//
// Source: docs.windsurf.com/windsurf/cascade/mcp, /hooks and /memories; docs.devin.ai. Not tested.
func windsurf() Agent {
	devin := func(e Env) string {
		if e.OS == "windows" {
			return e.appData("devin")
		}
		return e.config("devin")
	}
	return Agent{
		Name: "windsurf", Title: "Windsurf (Devin Desktop)", Aliases: []string{"devin", "devin-desktop", "codeium", "cascade"},
		Next:     "Restart Windsurf, and refresh its MCP servers.",
		reads:    []string{"${"},
		traces:   func(e Env) []string { return []string{e.home(".codeium", "windsurf"), devin(e)} },
		programs: []string{"windsurf", "devin"},
		parts: func(e Env) ([]setup.Part, error) {
			dir := e.home(".codeium", "windsurf")
			var parts []setup.Part
			if exists(devin(e)) {
				parts = append(parts, e.mcpFile(e.join(devin(e), "mcp_config.json")))
				if !exists(dir) {
					return parts, nil
				}
			}
			sh, key := posix, "command"
			if e.OS == "windows" {
				sh, key = powershell, "powershell"
			}
			hooks, err := e.hooks(sh, "windsurf", func(line string) any { return map[string]any{key: line, "show_output": false} },
				"pre_user_prompt", "post_write_code", "post_run_command", "post_cascade_response")
			rules := markdownFile(e.join(dir, "memories", "global_rules.md"), e.protocol(false))
			rules.Limit = rulesRead
			return append(parts,
				e.mcpFile(e.join(dir, "mcp_config.json")),
				jsonFile(e.join(dir, "hooks.json"), hooks...),
				rules,
			), err
		},
	}
}

// zed gets the MCP server in its settings, which have comments. It has no hooks, and its global
// rules are in its own database.
//
// Source: zed.dev/docs/ai/mcp and /docs/configuring-zed. Not tested.
func zed() Agent {
	dir := func(e Env) string {
		if e.OS == "windows" {
			return e.appData("Zed")
		}
		if e.OS == "darwin" {
			return e.home(".config", "zed")
		}
		return e.config("zed")
	}
	return Agent{
		Name: "zed", Title: "Zed", Aliases: []string{"zed-editor"},
		Next:     "The Agent Panel's settings show engram; no restart is needed.",
		traces:   func(e Env) []string { return []string{dir(e)} },
		programs: []string{"zeditor"}, // on many machines zed belongs to ZFS
		parts: func(e Env) ([]setup.Part, error) {
			return []setup.Part{jsonFile(e.join(dir(e), "settings.json"), e.member(e.server(), []string{"context_servers", "engram"}))}, nil
		},
	}
}

// cline gets the MCP server in the settings of the extension, of the command line, or of both; the
// protocol as a rule file of ours; and hooks: a program per event, on Windows a PowerShell script.
// An existing hook of the user stays.
//
// Source: docs.cline.bot/mcp/mcp-overview, /customization/cline-rules and /customization/hooks. Not
// tested.
func cline() Agent {
	extension := func(e Env) string { return e.appData("Code", "User", "globalStorage", clineID) }
	return Agent{
		Name: "cline", Title: "Cline", Aliases: []string{"claude-dev"},
		Next:     "Reload the window of VS Code, and see that hooks are enabled in the settings of Cline.",
		traces:   func(e Env) []string { return []string{extension(e), e.home(".cline"), e.home("Documents", "Cline")} },
		programs: []string{"cline"},
		parts: func(e Env) ([]setup.Part, error) {
			documents := e.home("Documents", "Cline")
			parts := []setup.Part{setup.Whole(e.join(documents, "Rules", "engram.md"), []byte(e.protocol(true)), 0)}
			for _, event := range []string{"TaskStart", "TaskResume", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "TaskComplete", "TaskCancel"} {
				hook, err := e.clineHook(documents, event)
				if err != nil {
					return nil, err
				}
				parts = append(parts, hook)
			}
			command := e.home(".cline", "data", "settings", "cline_mcp_settings.json")
			settings := e.join(extension(e), "settings", "cline_mcp_settings.json")
			if exists(e.home(".cline")) {
				parts = append(parts, e.mcpFile(command))
				if !exists(extension(e)) {
					return parts, nil
				}
			}
			return append(parts, e.mcpFile(settings)), nil
		},
	}
}

// clineID is the name of the extension's folder in VS Code.
const clineID = "saoudrizwan.claude-dev"

func (e Env) clineHook(documents, event string) (setup.Part, error) {
	name, sh, head := event, posix, "#!/bin/sh\nexec "
	if e.OS == "windows" {
		name, sh, head = event+".ps1", powershell, clineHead
	}
	line, ours, err := e.hookLine(sh, "cline", event)
	p := setup.Whole(e.join(documents, "Hooks", name), []byte(head+line+"\n"), 0o755)
	p.Yields = true
	p.Ours = func(content []byte) bool {
		for line := range strings.Lines(string(content)) {
			for _, start := range []string{"exec ", clineCall} {
				if rest, ok := strings.CutPrefix(strings.TrimSpace(line), start); ok && ours(rest) {
					return true
				}
			}
		}
		return false
	}
	return p, err
}

// clineHead begins a hook of Cline on Windows. Windows PowerShell reads a script without a byte
// order mark, its input and the output of programs in the code page of the machine, which would
// corrupt é or 你 in a path or prompt. So the event is read as UTF-8 bytes; without standard input,
// it comes through the pipeline.
const clineHead = "\uFEFF" + `$utf8 = New-Object System.Text.UTF8Encoding $false
$OutputEncoding = $utf8
try { [Console]::InputEncoding = $utf8; [Console]::OutputEncoding = $utf8 } catch { }
$said = (New-Object System.IO.StreamReader -ArgumentList ([Console]::OpenStandardInput()), $utf8).ReadToEnd()
if (-not $said) { $said = $input | Out-String }
` + clineCall

// clineCall precedes the command line.
const clineCall = "$said | "
