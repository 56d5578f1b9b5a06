package review

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/document"
)

func TestWhatWaitsAlwaysHasATitle(t *testing.T) {
	for _, tt := range []struct {
		name string
		d    document.Pending
		want string
	}{
		{"its title", document.Pending{Title: "T", Content: "C", ID: "m"}, "T"},
		{"a title of blanks", document.Pending{Title: " \n", Content: "C", ID: "m"}, "C"},
		{"neither title nor content", document.Pending{ID: "m"}, "m"},
		{"nothing at all", document.Pending{}, "without a title"},
	} {
		if got := TitleOf(tt.d); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
