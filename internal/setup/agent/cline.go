package agent

import (
	"strings"

	"github.com/alanbuscaglia/engram/internal/setup"
)

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
