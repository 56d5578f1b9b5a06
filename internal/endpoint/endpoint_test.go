package endpoint

import (
	"net/http"
	"testing"
	"time"
)

func TestAServerMayAskToBeLeftAlone(t *testing.T) {
	for _, tt := range []struct {
		says string
		want time.Duration
	}{
		{"", 0}, {"2", 2 * time.Second}, {"0", 0}, {"-5", 0}, {"soon", 0}, {"Wed, 21 Oct 2026 07:28:00 GMT", 0},
		{"31", maxPause}, {"9223372036854775807", maxPause},
	} {
		if got := retryAfter(http.Header{"Retry-After": {tt.says}}); got != tt.want {
			t.Errorf("%q: got %v, want %v", tt.says, got, tt.want)
		}
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true,
		"0.0.0.0": false, "10.0.0.7": false, "localhost.example.com": false, "": false, "fe80::1": false} {
		if got := loopback(host); got != want {
			t.Errorf("%q: got %v, want %v", host, got, want)
		}
	}
}
