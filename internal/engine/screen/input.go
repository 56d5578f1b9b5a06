package screen

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// CheckShare rejects anything but a number from 0 to 1.
func CheckShare(name string, v float64) error {
	if !(v >= 0 && v <= 1) { // NaN too
		return engram.Errorf(engram.CodeInvalid, "%s %v is out of range", name, v).WithHint("use a number from 0 to 1")
	}
	return nil
}

// NormalRef returns a reference with normal project and topic names.
func NormalRef(ref engram.Ref) engram.Ref {
	ref.Project = NormalProject(ref.Project)
	if ref.Topic != "" {
		ref.Topic = topic.Normalize(redact.Private(ref.Topic))
	}
	return ref
}

// PageOf checks a requested page.
func PageOf(p engram.Page, fallback int) (engram.Page, error) {
	var err error
	if p.Limit, err = Limited("limit", p.Limit, fallback, 1000); err != nil {
		return p, err
	}
	if p.Offset < 0 {
		return p, engram.Errorf(engram.CodeInvalid, "offset %d is negative", p.Offset)
	}
	return p, nil
}

// NormalProject returns the normal form of a project's name.
func NormalProject(name string) string { return project.Normalize(Line(name)) }

// Limited validates a count; 0 is the default.
func Limited(name string, n, fallback, most int) (int, error) {
	if n == 0 {
		return fallback, nil
	}
	if n < 0 || n > most {
		return 0, engram.Errorf(engram.CodeInvalid, "%s %d is out of range", name, n).WithHint("use a number from 1 to %d", most)
	}
	return n, nil
}
