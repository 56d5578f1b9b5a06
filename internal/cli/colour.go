package cli

import (
	"github.com/alanbuscaglia/engram/internal/config"
)

// colourFlag is --color. Setting it takes effect at once, so that help and the message
// about another flag obey it too.
type colourFlag struct{ p *program }

// String is the value that was given; "" is that of nobody having asked.
func (f colourFlag) String() string {
	if f.p == nil {
		return ""
	}
	return f.p.colour
}

// Type is what help calls the value.
func (f colourFlag) Type() string { return "when" }

// Set reads the value.
func (f colourFlag) Set(when string) error {
	if when != "auto" && when != "always" && when != "never" {
		return invalidf("%q is not one of auto, always and never", when)
	}
	f.p.colour = when
	f.p.takeColours()
	return nil
}

// takeColours decides what is painted: by --color, else on a terminal unless the
// environment asks for plain text.
func (p *program) takeColours() {
	plain := config.NoColor(p.Env)
	painted := func(stream any) paint {
		switch p.colour {
		case "always":
			return true
		case "never":
			return false
		}
		return paint(isTerminal(stream) && !plain)
	}
	p.out, p.err = painted(p.Stdout), painted(p.Stderr)
}
