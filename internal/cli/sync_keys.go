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
		Short: "Create a key for encrypted chunks",
		Long: `Create a key for encrypted chunks. The secret part is written to a file in the data directory that only you can read; the
public part, the recipient, is printed for the team to add: engram sync recipients add RECIPIENT. An existing key is kept,
and its recipient is printed. Keep a copy of the file: without it, chunks encrypted to the key cannot be read.`,
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
				p.warn("the key in " + k.File + " already exists")
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
	cmd := change("recipients", "Show or change the recipients of encrypted chunks", "engram sync recipients", "", unknownCommand, func(cmd *cobra.Command, _ []string) (app.Recipients, error) {
		return p.app.Recipients(cmd.Context(), p.Dir)
	})
	cmd.Long = `Show the recipients of this repository's encrypted chunks: the age recipients in .engram/recipients.txt. Without
recipients, chunks are not encrypted. Anyone with push access can change the file, so after a change sync writes nothing
until you confirm it: engram sync recipients trust. New recipients can read only chunks written after they were added;
removed ones can still read older chunks.`
	cmd.AddCommand(
		change("add RECIPIENT…", "Add recipients", "engram sync recipients add age1…", "New recipients cannot read chunks that were encrypted earlier.", between(1, -1), func(cmd *cobra.Command, args []string) (app.Recipients, error) {
			return p.app.ChangeRecipients(cmd.Context(), p.Dir, args, nil)
		}),
		change("remove RECIPIENT…", "Remove recipients", "engram sync recipients remove age1…", "Removed recipients can still read chunks that were encrypted earlier: they remain in the git history.", between(1, -1), func(cmd *cobra.Command, args []string) (app.Recipients, error) {
			return p.app.ChangeRecipients(cmd.Context(), p.Dir, nil, args)
		}),
		change("trust", "Confirm the current recipients", "engram sync recipients trust", "", between(0, 0), func(cmd *cobra.Command, _ []string) (app.Recipients, error) {
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
	fmt.Fprintln(b, "You have not confirmed these recipients. sync writes nothing until you do: engram sync recipients trust")
}
