package attempt

import "context"

// PlainSpace is the part of a fake workspace that finds nothing: no unfinished work, no hooks, no
// breaches.
type PlainSpace struct{}

func (PlainSpace) Untidy(context.Context, Tree, string) ([]string, error)   { return nil, nil }
func (PlainSpace) Removed(context.Context, Tree, string) ([]Removal, error) { return nil, nil }
func (PlainSpace) Worded(string) string                                     { return "" }
func (PlainSpace) Watch(context.Context, string) error                      { return nil }
func (PlainSpace) Ahead(context.Context, string) error                      { return nil }
func (PlainSpace) Rest(context.Context, string)                             {}

func (PlainSpace) Rehearse(context.Context, Tree, string, string) (command, identity string, err error) {
	return "", "", nil
}

func (PlainSpace) Breaches(context.Context, string) (Breaches, error) {
	return Breaches{}, nil
}
