package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/document"
)

// keyDoc is the answer of `sync keygen`.
type keyDoc struct {
	Recipient string `json:"recipient"` // to be added by whoever shares memories with you
	File      string `json:"file"`      // that holds the secret part, which nobody else may read
}

func (p *program) syncKeygenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keygen",
		Short: "Make a key to read encrypted chunks with",
		Long: `Make a key to read encrypted chunks with: its secret part goes into a file of the data directory that only you can
read, and its public part, the recipient, is printed for the team to add: engram sync recipients add RECIPIENT. A key that
is there already is kept, and its recipient printed. Whoever loses the file cannot read what was encrypted to it any more:
keep a copy of it.`,
		Example: examples("engram sync keygen"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := p.open(cmd); err != nil {
				return err
			}
			k, err := p.app.Keygen()
			if err != nil {
				return err
			}
			if !k.New && !p.json {
				p.warn("the key in " + k.File + " was there already")
			}
			return p.answer(keyDoc{k.Recipient, k.File}, func(b *strings.Builder) {
				fmt.Fprintf(b, "Recipient: %s\n  The secret part: %s\n", k.Recipient, k.File)
			})
		},
	}
}

// recipientsDoc is the answer of `sync recipients`.
type recipientsDoc struct {
	File       string   `json:"file"`       // in the repository
	Recipients []string `json:"recipients"` // to whom chunks are encrypted; empty: chunks are not
	Agreed     bool     `json:"agreed"`     // you agreed to them; else sync writes nothing
	Added      []string `json:"added"`      // since you agreed
	Removed    []string `json:"removed"`    // since you agreed
}

func recipientsOf(r app.Recipients) recipientsDoc {
	return recipientsDoc{r.File, document.OrEmpty(r.Now), r.Agreed(), document.OrEmpty(r.Added()), document.OrEmpty(r.Removed())}
}

func (p *program) syncRecipientsCommand() *cobra.Command {
	change := func(use, short, example, after string, args cobra.PositionalArgs, do func(*cobra.Command, []string) (app.Recipients, error)) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Example: examples(example), Args: args, RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := p.open(cmd); err != nil {
				return err
			}
			r, err := do(cmd, args)
			if err != nil {
				return err
			}
			doc := recipientsOf(r)
			return p.answer(doc, func(b *strings.Builder) {
				doc.write(b)
				if after != "" && r.Sealed {
					fmt.Fprintln(b, after)
				}
			})
		}}
	}
	cmd := change("recipients", "To whom chunks are encrypted", "engram sync recipients", "", unknownCommand, func(cmd *cobra.Command, _ []string) (app.Recipients, error) {
		return p.app.Recipients(cmd.Context(), p.Dir)
	})
	cmd.Long = `Show to whom this repository's chunks are encrypted: the age recipients in .engram/recipients.txt. Without any, chunks
are not encrypted. The file is anybody's who may push, so sync writes nothing after it was changed until you have looked
and agreed: engram sync recipients trust. Who is added can read chunks that are written from then on, and who is removed
can read the older ones for ever.`
	cmd.AddCommand(
		change("add RECIPIENT…", "Encrypt to these too", "engram sync recipients add age1…", "The chunks that are encrypted already stay closed to whoever was added now.", between(1, -1), func(cmd *cobra.Command, args []string) (app.Recipients, error) {
			return p.app.ChangeRecipients(cmd.Context(), p.Dir, args, nil)
		}),
		change("remove RECIPIENT…", "Encrypt to these no more", "engram sync recipients remove age1…", "Whoever was removed can read the chunks that are encrypted already for ever: git keeps them, and so may they.", between(1, -1), func(cmd *cobra.Command, args []string) (app.Recipients, error) {
			return p.app.ChangeRecipients(cmd.Context(), p.Dir, nil, args)
		}),
		change("trust", "Agree to the recipients that are there", "engram sync recipients trust", "", between(0, 0), func(cmd *cobra.Command, _ []string) (app.Recipients, error) {
			return p.app.TrustRecipients(cmd.Context(), p.Dir)
		}))
	return cmd
}

func (d recipientsDoc) write(b *strings.Builder) {
	if len(d.Recipients) == 0 {
		fmt.Fprintln(b, "Chunks are not encrypted.")
	} else {
		fmt.Fprintf(b, "Chunks are encrypted to %s:\n", count(len(d.Recipients), "recipient", "recipients"))
		for _, r := range d.Recipients {
			fmt.Fprintf(b, "  %s\n", r)
		}
	}
	if d.Agreed {
		return
	}
	for _, r := range d.Added {
		fmt.Fprintf(b, "  new:  %s\n", r)
	}
	for _, r := range d.Removed {
		fmt.Fprintf(b, "  gone: %s\n", r)
	}
	fmt.Fprintln(b, "You have not agreed to that, and sync writes nothing until you do: engram sync recipients trust")
}
