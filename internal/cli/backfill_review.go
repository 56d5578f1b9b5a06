package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// decide asks about each proposal that waits, oldest first.
func (b backfilling) decide(e *engine.Engine, project string) error {
	all, err := e.Proposals(b.cmd.Context(), project)
	if err != nil {
		return err
	}
	saved, refused := 0, 0
	for n, d := range all {
		fmt.Fprintf(b.Stdout, "\n%d of %d\n", n+1, len(all))
		b.show(proposalOf(d))
		done, err := b.one(e, d, &saved, &refused)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	left := len(all) - saved - refused
	fmt.Fprintf(b.Stdout, "\nSaved %s, rejected %d, left %d.\n", count(saved, "memory", "memories"), refused, left)
	return nil
}

// show shows a proposal whole: it is to be decided on.
func (b backfilling) show(d proposalDoc) {
	content := d.Content
	d.Content = d.Title
	var s strings.Builder
	b.writeProposal(&s, d)
	fmt.Fprintf(b.Stdout, "%s\n%s\n", s.String(), render.Plain(content))
}

// one asks until one proposal is decided or left; done ends it all.
func (b backfilling) one(e *engine.Engine, d engram.Deferred, saved, refused *int) (done bool, err error) {
	edit := engine.ProposalEdit{Read: true} // show has shown it whole, and why it is suspect
	for {
		answer, err := b.ask("Save it? [y]es, [n]ever again, [e]dit, [s]kip, [q]uit", "use engram review approve or engram review refuse with the number")
		if err != nil {
			return true, err
		}
		switch answer {
		case "y", "yes":
			_, err := e.AcceptProposal(b.cmd.Context(), d.Num, edit)
			if err == nil {
				*saved++
			}
			return false, err
		case "n", "no", "never":
			if _, err := e.RefuseDeferred(b.cmd.Context(), d.Num); err != nil {
				return true, err
			}
			*refused++
			return false, nil
		case "e", "edit":
			if err := b.edit(d, &edit); err != nil {
				return true, err
			}
		case "s", "skip":
			return false, nil
		case "q", "quit", "":
			return true, nil
		default:
			if !b.someoneThere() {
				return true, invalidf("unknown answer %q", answer).WithHint("answer y, n, e, s or q, one line per proposal")
			}
		}
	}
}

// edit asks for another title and another text; an empty line leaves what is proposed.
func (b backfilling) edit(d engram.Deferred, to *engine.ProposalEdit) error {
	m := d.Record.Memory.Memory
	for _, field := range []struct {
		name, was string
		to        *string
	}{{"Title", m.Title, &to.Title}, {"Text", m.Content, &to.Content}} {
		fmt.Fprintf(b.Stderr, "%s (empty: as it is) ", b.err.bold(field.name))
		line, err := b.typedLine()
		if err != nil {
			return err
		}
		if line != "" {
			*field.to = line
		}
	}
	return nil
}

// typedLine reads a line as it was typed; an end of input is an empty one.
func (b backfilling) typedLine() (string, error) {
	line, err := b.answers().ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimSpace(line), nil
}
