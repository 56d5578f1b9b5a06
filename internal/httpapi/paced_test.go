package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// A large file may take minutes to arrive, as long as some of it does. Neither of these
// files comes to its end, so that no store is asked within the bubble.
func TestAnImportMayTakeItsTime(t *testing.T) {
	const steps = 10
	for _, tt := range []struct {
		name  string
		pause time.Duration
		want  string
		until time.Duration
	}{
		{"some of it arrives every 20 seconds", 20 * time.Second, "400 Bad Request", steps * 20 * time.Second},
		{"nothing arrives for a minute", time.Minute, "408 Request Timeout", 40 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			serving(t, httpapi.Options{Engine: enginetest.New(t)}, func(t *testing.T, p *pipes, stop func() error) {
				c := p.dial()
				start := time.Now()
				const head, part = `{"version":"0.1.0","note":"`, "0123456789"
				send(t, c, fmt.Sprintf("POST /import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(head)+steps*len(part), head))
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					for range steps {
						elapse(tt.pause)
						if _, err := strings.NewReader(part).WriteTo(c); err != nil {
							return // the server has given up
						}
					}
				}()
				got := status(t, c)
				if waited := time.Since(start); got != tt.want || waited > tt.until+time.Second {
					t.Errorf("got %s after %v, want %s within %v", got, waited, tt.want, tt.until)
				}
				_ = c.Close()
				<-sent
				if err := stop(); err != nil {
					t.Errorf("Serve: got %v, want nil", err)
				}
			})
		})
	}
}
