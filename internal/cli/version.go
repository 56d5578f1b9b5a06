package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// programDoc is the answer of `version --json`.
type programDoc struct {
	Version string `json:"version"` // "dev" for a build from source
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: examples("engram version"),
		Args:    between(0, 0),
		RunE:    func(*cobra.Command, []string) error { return p.version() },
	}
}

func (p *program) version() error {
	return p.answer(programDoc{p.Version}, func(b *strings.Builder) { fmt.Fprintf(b, "engram %s\n", p.Version) })
}
