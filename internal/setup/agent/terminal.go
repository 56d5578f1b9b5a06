package agent

import (
	"encoding/json"
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
