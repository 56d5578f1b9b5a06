package agent

import (
	"encoding/json"

	"github.com/alanbuscaglia/engram/internal/setup"
)

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
