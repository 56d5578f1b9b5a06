package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// ask puts a question to the person at the terminal and returns the answer, trimmed
// and in lower case; an end of input is "". Where nobody can answer it is an error
// that names the flag to give instead.
func (p *program) ask(question, instead string) (string, error) {
	answer, _, err := p.askOrEnd(question, instead)
	return answer, err
}

// askOrEnd is ask where Enter alone is an answer: ended tells it from an end of input, after
// which there is nobody to ask again.
func (p *program) askOrEnd(question, instead string) (answer string, ended bool, err error) {
	if !isTerminal(p.Stdin) || p.json {
		return "", false, engram.Errorf(engram.CodeInvalid, "nobody to ask: standard input is no terminal").
			WithHint("give %s", instead)
	}
	// One reader for all questions: it may hold more than one line already.
	if p.lines == nil {
		p.lines = bufio.NewReader(p.input)
	}
	fmt.Fprintf(p.Stderr, "%s ", p.err.bold(fold(question, "", p.columnsOf(p.Stderr))))
	line, err := p.lines.ReadString('\n')
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(p.Stderr)
		return "", false, err
	}
	if err != nil { // an end of input is an answer: no
		fmt.Fprintln(p.Stderr)
	}
	return strings.ToLower(strings.TrimSpace(line)), err != nil, nil
}

// confirm is ask for a yes or a no; yes answers it beforehand.
func (p *program) confirm(yes bool, question string) (bool, error) {
	if yes {
		return true, nil
	}
	answer, err := p.ask(question+" [y/N]", "--yes, or --dry-run to only look")
	return answer == "y" || answer == "yes", err
}
