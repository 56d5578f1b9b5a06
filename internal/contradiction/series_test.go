package contradiction_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/contradiction"
)

func TestSeries(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"another number", "Benchmark run 7 of the parser took 13 ms", "Benchmark run 8 of the parser took 12 ms", true},
		{"another date", "The nightly build of 2026-03-12 passed", "The nightly build of 2026-03-13 passed", true},
		{"another version", "Released v1.2 to production", "Released v1.3 to production", true},
		{"another name", "Invoices of Ada are paid by card", "Invoices of Ben are paid by card", true},
		{"a letter", "Warehouse A ships on time", "Warehouse B ships on time", true},
		{"records with several names", "Order 7 of Ada was shipped from Bremen", "Order 8 of Ben was shipped from Lyon", true},
		{"the same", "Order 7 was shipped", "Order 7 was shipped", false},
		{"several names alone", "Ada owns the shop", "Ben owns the bank", false},
		{"names that changed places", "Prefer SQLite over Postgres", "Prefer Postgres over SQLite", false},
		{"a denial", "Run 7 of the parser passed", "Run 8 of the parser did not pass", false},
		{"an opposite", "Flag 7 is enabled", "Flag 8 is disabled", false},
		{"more words", "Order 7 was shipped", "Order 8 was shipped late", false},
	} {
		a, b := contradiction.Read(contradiction.Text{Content: tt.a}), contradiction.Read(contradiction.Text{Content: tt.b})
		if got, back := a.Series(b), b.Series(a); got != tt.want || back != tt.want {
			t.Errorf("%s: %q, %q: got %v, and %v the other way, want %v", tt.name, tt.a, tt.b, got, back, tt.want)
		}
	}
}
