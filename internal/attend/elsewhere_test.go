package attend_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/attend"
)

func TestElsewhere(t *testing.T) {
	for _, tt := range []struct {
		name, text, place string
		want              bool
	}{
		{"its own path", "src/auth.go: never change Expire", "src/auth.go", false},
		{"another folder", "src/auth.go: never change Expire", "other/auth.go", true},
		{"another folder at the end", "see `internal/auth/token.go`.", "cmd/token.go", true},
		{"no folder is named", "auth.go: never change Expire", "other/auth.go", false},
		{"less of the path", "auth/token.go holds it", "internal/auth/token.go", false},
		{"more of the path", "/home/ana/shop/internal/auth/token.go holds it", "internal/auth/token.go", false},
		{"from where one works", "./src/auth.go", "src/auth.go", false},
		{"one of several", "src/auth.go and other/auth.go", "other/auth.go", false},
		{"a name that only begins alike", "src/auth.gold", "other/auth.go", false},
		{"nothing", "", "a.go", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := attend.Elsewhere(tt.text, tt.place); got != tt.want {
				t.Errorf("Elsewhere(%q, %q) = %v, want %v", tt.text, tt.place, got, tt.want)
			}
		})
	}
}
