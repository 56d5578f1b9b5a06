package cli

import (
	"fmt"
	"strings"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Example: examples("engram man | man -l -", "engram man > /usr/local/share/man/man1/engram.1"),
		Args:    between(0, 0),
		Hidden:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// The quotes around a flag's value name are for the help, which takes them out.
			forEach(cmd.Root(), func(c *cobra.Command) {
				c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
			})
			page, err := mango.NewManPage(1, cmd.Root())
			if err != nil {
				return fmt.Errorf("manual page: %w", err)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), page.Build(roff.NewDocument()))
			return err
		},
	}
}

// forEach visits a command and all below it.
func forEach(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		forEach(sub, visit)
	}
}
