package engine

import "github.com/alanbuscaglia/engram"

// divide parts the finds: what is relevant, and what is too far from the question to be
// an answer. It never reorders.
func (q *question) divide() (hits, weak []engram.Ranked) {
	for _, f := range q.finds {
		if q.relevant(f.Num) {
			hits = append(hits, f)
		} else {
			weak = append(weak, f)
		}
	}
	return hits, weak
}

func (q *question) relevant(num int64) bool {
	for _, c := range q.whyOf(num).Channels {
		if c.Channel == engram.ChannelLexical || c.Channel == engram.ChannelGraph || c.Channel == engram.ChannelVector && c.Score >= q.meaning.model.Related {
			return true
		}
	}
	return false
}
