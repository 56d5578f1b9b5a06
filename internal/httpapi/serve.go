package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// How long the server waits for whom. A client on the same machine needs none of it;
// one that sends a byte a second must not hold a connection for ever.
const (
	headerTimeout = 10 * time.Second // from the first byte to the end of the header
	readTimeout   = 30 * time.Second // to the end of the body
	writeTimeout  = 2 * time.Minute  // from the header to the end of the answer; streams lift it
	idleTimeout   = 2 * time.Minute  // between two requests
	leaveTime     = 2 * time.Second  // for the rest of a body that nobody reads
	graceTime     = 5 * time.Second  // for requests under way when the server stops
	slowGrace     = 4 * time.Second  // for verbs that may take minutes: some of it is left for them to say so
	streamGrace   = time.Second      // for streams, which never end by themselves
)

// maxHeader is room for a question in the address: 100 kB of any bytes, each escaped.
const maxHeader = 512 << 10

// Serve answers requests on l with h until ctx ends, then stops listening, gives
// requests under way five seconds and breaks off what is left. It closes l. An error
// means that it stopped before it was told to. A nil log is silent.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// OPTIONS * has to pass the guard like everything else.
		DisableGeneralOptionsHandler: true,
	}
	// Requests outlive ctx; those that want to know that it ended find it in their context.
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
	// ctx is over; what is under way has its own time.
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

// stopping is the key under which a request's context holds the one that Serve was
// given.
type stopping struct{}

// untilStop is the context of a request that may take long: it ends some time after the
// server is stopped.
func untilStop(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if server, ok := ctx.Value(stopping{}).(context.Context); ok {
		unhook := context.AfterFunc(server, func() { time.AfterFunc(grace, cancel) })
		return ctx, func() { unhook(); cancel() }
	}
	return ctx, cancel
}
