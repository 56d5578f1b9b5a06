package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) reembedCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "reembed",
		Short: "Compute the vectors of the configured embedding model",
		Long: `Compute the missing vectors of the configured embedding model, and delete those of other models. Searches use the old
vectors meanwhile. You can stop the command at any time; the next run continues. A server does the same in the background.`,
		Example: examples("engram reembed", "engram reembed --all --json"),
		Args:    between(0, 0),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, _ []string) error {
			bar := p.progress("embedding")
			res, err := e.Reembed(cmd.Context(), engine.ReembedInput{All: all, Progress: bar.tell})
			bar.end()
			if err != nil {
				return err
			}
			return p.answer(reembeddedOf(res), func(b *strings.Builder) {
				fmt.Fprintf(b, "%s of %d embedded with %s\n", count(res.Embedded, "memory", "memories"), res.Total, res.Model.Name)
				for _, name := range res.Dropped {
					fmt.Fprintf(b, "vectors of %s removed\n", name)
				}
			})
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "rebuild the word index and every vector")
	return cmd
}

// reembeddedDoc is the answer of `reembed`.
type reembeddedDoc struct {
	Model       string   `json:"model"`
	Fingerprint string   `json:"fingerprint"`
	Embedded    int      `json:"embedded"` // memories that got a vector now
	Memories    int      `json:"memories"` // live ones
	Dropped     []string `json:"dropped"`  // models whose vectors were removed
}

func reembeddedOf(r engine.Reembedded) reembeddedDoc {
	return reembeddedDoc{r.Model.Name, r.Model.Fingerprint, r.Embedded, r.Total, document.OrEmpty(r.Dropped)}
}
