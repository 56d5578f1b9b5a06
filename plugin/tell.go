package plugin

import (
	_ "embed"
	"regexp"
	"strings"
)

// shared is the code that the TypeScript plugins have in common.
//
//go:embed tell.ts
var shared string

// Joined returns an asset as it is installed: TypeScript that imports tell.ts gets its text in place of the
// import; other assets stay unchanged.
//
// One file, because agents load every file of their folder as a plugin (OpenCode) or extension (Pi), and a
// second file elsewhere could be missing, which would throw where nothing may.
func Joined(asset []byte) []byte {
	whole := regexp.MustCompile(`(?m)^import \{[^}\n]*\} from "\.\./tell"\r?\n`)
	at := whole.FindIndex(asset)
	if at == nil {
		return asset
	}
	_, text, _ := strings.Cut(shared, "\nimport ") // the part above is not for installation
	text = "import " + regexp.MustCompile(`(?m)^export `).ReplaceAllString(text, "")
	return []byte(string(asset[:at[0]]) + text + string(asset[at[1]:]))
}
