package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

// ask puts a question and returns the answer from standard input, trimmed and in lower case:
// that of the person at the terminal, or the next line of what was piped in. An end of input is
// "". Where nobody can answer it is an error that names the flag to give instead.
func (p *program) ask(question, instead string) (string, error) {
	answer, _, err := p.askOrEnd(question, instead)
	return answer, err
}

// askOrEnd is ask where Enter alone is an answer: ended tells it from an end of input, after
// which there is nobody to ask again.
func (p *program) askOrEnd(question, instead string) (answer string, ended bool, err error) {
	// Standard input that ends between two questions answers the second with no.
	if first := p.lines == nil; p.json || first && !p.canAnswer() {
		return "", false, engram.Errorf(engram.CodeInvalid, "cannot ask for confirmation: standard input is not a terminal").
			WithHint("give %s", instead)
	}
	there := p.someoneThere()
	if there {
		fmt.Fprintf(p.Stderr, "%s ", p.err.bold(fold(question, "", p.columnsOf(p.Stderr))))
	}
	line, err := p.answers().ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(line))
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(p.Stderr)
		return "", false, err
	case !there: // no terminal has shown what was typed
		fmt.Fprintln(p.Stderr, render.Plain(strings.TrimSpace(question+" "+answer)))
	case err != nil: // an end of input is an answer: no
		fmt.Fprintln(p.Stderr)
	}
	return answer, err != nil, nil
}

// answers is the one reader of all questions: it may hold more than one line already.
func (p *program) answers() *bufio.Reader {
	if p.lines == nil {
		p.lines = bufio.NewReader(p.input)
	}
	return p.lines
}

// someoneThere reports whether a person can be asked, and asked again. Else standard input holds
// all the answers that there are, and one that is not understood is an error.
func (p *program) someoneThere() bool { return isTerminal(p.Stdin) }

// canAnswer reports whether a question can be answered: by a person, or by what was piped in.
func (p *program) canAnswer() bool {
	if p.json || p.someoneThere() {
		return !p.json
	}
	_, err := p.answers().Peek(1)
	return err == nil
}

// confirm is ask for a yes or a no; yes answers it beforehand.
func (p *program) confirm(yes bool, question string) (bool, error) {
	if yes {
		return true, nil
	}
	answer, err := p.ask(question+" [y/N]", "--yes, or --dry-run to preview")
	return answer == "y" || answer == "yes", err
}
