package app

import (
	"time"

	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// policyOf is the policy of the life of memories, as the settings have it.
func policyOf(c config.Config) *lifecycle.Policy {
	p := lifecycle.DefaultPolicy()
	p.Decay, p.TypeDecay = c.Decay, c.TypeDecay
	if c.ReviewMonths != nil { // nil is a Config that nobody loaded
		p.ReviewMonths = c.ReviewMonths
	}
	p.KeepJournal = time.Duration(c.JournalDays) * 24 * time.Hour
	return &p
}
