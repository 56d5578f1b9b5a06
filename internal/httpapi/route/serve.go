package route

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Time limits. They keep a client that sends a byte a second from holding a connection forever.
const (
	headerTimeout = 10 * time.Second // from the first byte to the end of the header
	ReadTimeout   = 30 * time.Second // to the end of the body
	WriteTimeout  = 2 * time.Minute  // from the header to the end of the answer; streams lift it
	idleTimeout   = 2 * time.Minute  // between two requests
	leaveTime     = 2 * time.Second  // for the rest of an unread body
	graceTime     = 5 * time.Second  // for requests in progress when the server stops
	slowGrace     = 4 * time.Second  // for slow operations: the rest of graceTime is left for their error answer
	streamGrace   = time.Second      // for streams, which never end by themselves
)

// maxHeader is room for a question of 100 kB in the URL, every byte escaped.
const maxHeader = 512 << 10

// Serve answers requests on l with h until ctx ends, then gives those in progress five seconds and closes l. It
// returns an error when it stops before ctx ends or cannot stop cleanly. A nil log is silent.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       ReadTimeout,
		WriteTimeout:      WriteTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// OPTIONS * must pass the guard as well.
		DisableGeneralOptionsHandler: true,
	}
	// Requests outlive ctx; slow ones find it in their context (untilStop).
	srv.BaseContext = func(net.Listener) context.Context {
		return context.WithValue(context.WithoutCancel(ctx), stopping{}, ctx)
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return errors.Join(fmt.Errorf("serve HTTP: %w", err), srv.Close())
	case <-ctx.Done():
	}
	// ctx has ended; requests in progress get their own time.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	err := srv.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Info("requests were broken off after the server was stopped", "grace", graceTime)
		err = srv.Close()
	}
	if stopped := <-failed; !errors.Is(stopped, http.ErrServerClosed) {
		err = errors.Join(err, stopped)
	}
	if err != nil {
		return fmt.Errorf("stop HTTP: %w", err)
	}
	return nil
}

// stopping is the context key of the ctx passed to Serve.
type stopping struct{}

// UntilStop returns a context that ends some time after the server is stopped.
func UntilStop(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if server, ok := ctx.Value(stopping{}).(context.Context); ok {
		unhook := context.AfterFunc(server, func() { time.AfterFunc(grace, cancel) })
		return ctx, func() { unhook(); cancel() }
	}
	return ctx, cancel
}
