package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
)

// backgroundFlags are for whoever starts a server that nobody watches: engram start, and
// the system's services.
func backgroundFlags(cmd *cobra.Command) {
	cmd.Flags().Bool("background", false, "log to engram.log in the data directory; print the result, errors included, on standard output")
	// A system would start again and again what fails because another one serves.
	cmd.Flags().Bool("unless-running", false, "exit without an error if a server of the data directory is already running")
	_, _ = cmd.Flags().MarkHidden("background"), cmd.Flags().MarkHidden("unless-running") // they exist
}

func inBackground(cmd *cobra.Command) bool {
	background, _ := cmd.Flags().GetBool("background") // false where there is no such flag
	return background
}

// serverLog is where a server reports what went wrong: stderr in a terminal; in the
// background a file, and then whoever started it reads standard output alone.
func (p *program) serverLog(cmd *cobra.Command, c config.Config) (log *slog.Logger, done func(), err error) {
	if !inBackground(cmd) {
		return p.log(), func() {}, nil
	}
	p.json, p.Stderr = true, p.Stdout
	file, err := app.OpenLog(c)
	if err != nil {
		return nil, nil, err
	}
	// What it drops at its end nobody could be told.
	return slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelInfo})), func() { _ = file.Close() }, nil
}

// claimed makes this process the server of its data directory and opens store and port. In
// a terminal a second server may run beside the first one, on another port.
func (p *program) claimed(ctx context.Context, cmd *cobra.Command, c config.Config, address string) (net.Listener, error) {
	log := ""
	if inBackground(cmd) {
		log = app.LogFile(c)
	}
	unwatched := !isTerminal(p.Stdin) && !isTerminal(p.Stdout) && !isTerminal(p.Stderr)
	unclaimed := p.app.Claim(ctx, app.ClaimInput{Background: unwatched, Log: log, Flags: flagsOf(cmd, serverFlags())})
	if once, _ := cmd.Flags().GetBool("unless-running"); once && engram.CodeOf(unclaimed) == engram.CodeConflict {
		if !inBackground(cmd) { // there nobody reads it
			p.warn(messageOf(unclaimed))
		}
		return nil, exitWith(0)
	}
	if unclaimed != nil && inBackground(cmd) {
		return nil, unclaimed
	}
	err := p.app.Ready(ctx)
	if _, earlier := errors.AsType[*app.Earlier](err); earlier {
		// It is taken over beside: until then each answer says so. In the background standard
		// output is for the one answer.
		if !inBackground(cmd) {
			p.warn(messageOf(err))
		}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	l, err := listen(ctx, address)
	switch {
	case err == nil && unclaimed != nil:
		p.warn(messageOf(unclaimed) + ": engram status, stop and restart refer to that one")
	case engram.CodeOf(err) == engram.CodeUnavailable && c.Port != 0:
		err = occupiedBy(ctx, err, c)
	}
	return l, err
}

// occupiedBy says who has the port that could not be listened on.
func occupiedBy(ctx context.Context, err error, c config.Config) error {
	e, ok := errors.AsType[*engram.Error](err)
	if !ok || e.Err != nil {
		return err // that was not it
	}
	return engram.Errorf(e.Code, "%s by %s", e.Msg, app.Beside(ctx, c.Host, c.Port)).WithHintOf(e)
}

// logged says in a log how a server began.
func logged(log *slog.Logger, l net.Listener, version string, err error) {
	switch {
	case err == nil:
		log.Info("listening", "address", l.Addr().String(), "version", version, "process", os.Getpid())
	case errors.Is(err, exitWith(0)), engram.CodeOf(err) == engram.CodeConflict: // that one is running already is no news
	default:
		log.Error("the server did not start", "error", err)
	}
}
