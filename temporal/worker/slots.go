package worker

import (
	"context"
	"sync"

	"go.temporal.io/sdk/worker"
)

// slots are the attempts that a worker makes at once, shared by all of its queues. Each queue is
// asked while any slot is free: a slot that a question kept would starve the other queues. Two
// queues may so give work for the last slot; the activity then leaves it to another worker.
type slots struct {
	most int

	mu    sync.Mutex
	used  int
	freed chan struct{} // closed and made anew when used falls
}

func newSlots(most int) *slots { return &slots{most: most, freed: make(chan struct{})} }

// mark is the data of a permit: whether work uses it.
type mark struct{ used bool }

// ReserveSlot waits until a slot is free, or ctx ends.
func (s *slots) ReserveSlot(
	ctx context.Context, _ worker.SlotReservationInfo,
) (*worker.SlotPermit, error) {
	for {
		s.mu.Lock()
		free, freed := s.used < s.most, s.freed
		s.mu.Unlock()
		if free {
			return &worker.SlotPermit{UserData: new(mark)}, nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// TryReserveSlot is nil where no slot is free.
func (s *slots) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used >= s.most {
		return nil
	}
	return &worker.SlotPermit{UserData: new(mark)}
}

// MarkSlotUsed counts work that begins.
func (s *slots) MarkSlotUsed(info worker.SlotMarkUsedInfo) {
	m, ok := info.Permit().UserData.(*mark)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m.used = true
	s.used++
}

// ReleaseSlot counts work that has ended; a permit without work was never counted.
func (s *slots) ReleaseSlot(info worker.SlotReleaseInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, ok := info.Permit().UserData.(*mark); ok && m.used {
		s.used--
		close(s.freed)
		s.freed = make(chan struct{})
	}
}

// MaxSlots is the number of attempts at once.
func (s *slots) MaxSlots() int { return s.most }

var _ worker.SlotSupplier = (*slots)(nil)
