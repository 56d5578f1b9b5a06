package mem

import "sync"

// maxPrompts bounds how many sessions' prompts are remembered.
const maxPrompts = 64

// prompts remembers each session's last prompt until a memory is saved in it, so that
// the why is kept with the what. The zero value is ready; it may be used concurrently.
type prompts struct {
	mu    sync.Mutex
	last  map[occasion]string
	order []occasion // oldest first
}

// occasion is where a prompt was given.
type occasion struct{ session, project string }

func (p *prompts) remember(at occasion, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = map[occasion]string{}
	}
	p.drop(at)
	if len(p.order) >= maxPrompts {
		p.drop(p.order[0])
	}
	p.last[at] = text
	p.order = append(p.order, at)
}

// take returns the last prompt and forgets it; "" for none.
func (p *prompts) take(at occasion) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.last[at]
	p.drop(at)
	return text
}

// drop forgets a prompt. mu is held.
func (p *prompts) drop(at occasion) {
	if _, ok := p.last[at]; !ok {
		return
	}
	delete(p.last, at)
	for i, o := range p.order {
		if o == at {
			p.order = append(p.order[:i], p.order[i+1:]...)
			return
		}
	}
}
