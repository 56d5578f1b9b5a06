package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// followEvery is how long log --follow waits between two looks.
const followEvery = 250 * time.Millisecond

// followLog prints each operation when it is written, until it is interrupted: with --json
// one object a line.
func (p *program) followLog(cmd *cobra.Command, e *engine.Engine, project string) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	in := engine.WatchInput{Project: project, Wait: func(ctx context.Context) error {
		t := time.NewTimer(followEvery)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			return nil
		}
	}}
	err := e.Watch(ctx, in, func(n engine.Watched) error {
		switch {
		case n.Begun:
			fmt.Fprintln(p.Stderr, "Waiting for new operations; press Ctrl-C to stop.")
			return nil
		case n.Missed:
			p.warn(fmt.Sprintf("missed operations up to #%d; engram log shows them", n.Entry.Op))
			return nil
		case p.json:
			line, err := json.Marshal(document.OperationOf(n.Entry))
			if err != nil {
				return engram.Errorf(engram.CodeInternal, "cannot encode the answer as JSON").WithCause(err)
			}
			_, err = p.Stdout.Write(render.JSON(append(line, '\n')))
			return outputError(err)
		}
		return p.tellTo(0, func(b *strings.Builder) {
			b.WriteString(render.Log([]engram.LogEntry{n.Entry}, time.Time{}, p.zone()))
		})
	})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // that is how it ends
	}
	return err
}

// checkFollow refuses what would be ignored.
func checkFollow(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return invalidf("--follow shows all operations and takes no ID").WithHint("run: %s --help", cmd.CommandPath())
	}
	for _, name := range []string{"actor", "verb", "since", "until", "limit", "offset"} {
		if cmd.Flags().Changed(name) {
			return invalidf("--%s cannot be combined with --follow", name).WithHint("run: %s --help", cmd.CommandPath())
		}
	}
	return nil
}
