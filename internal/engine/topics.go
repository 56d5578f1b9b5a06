package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// Topics returns the topic keys of live memories of a project ("" is every one) that begin
// with prefix, by name. Limit 0 is 20, at most 1000.
func (e *Engine) Topics(ctx context.Context, project, prefix string, limit int) (keys []string, err error) {
	if limit, err = limited("limit", limit, 20, 1000); err != nil {
		return nil, err
	}
	return view(ctx, e, func(r engram.Reader) ([]string, error) {
		return r.Topics(ctx, normalProject(project), topic.Normalize(prefix), limit)
	})
}
