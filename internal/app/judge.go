package app

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/agentcli"
	"github.com/alanbuscaglia/engram/internal/config"
)

// judgeOf returns the judge that c names; nil where it names none.
func judgeOf(c config.Config) engram.Judge {
	j, known := agentcli.Named(c.AgentCLI)
	if !known {
		return nil
	}
	if err := c.MayRun(); err != nil {
		return barred{name: j.Name(), err: err}
	}
	return j
}

// barred stands for a judge that may not be asked: what is wrong with it is said when it
// is asked, and keeps nobody from searching.
type barred struct {
	name string
	err  error // an *engram.Error
}

// Name implements engram.Judge.
func (b barred) Name() string { return b.name }

// Judge implements engram.Judge.
func (b barred) Judge(context.Context, engram.Memory, engram.Memory) (engram.Opinion, error) {
	return engram.Opinion{}, b.err
}
