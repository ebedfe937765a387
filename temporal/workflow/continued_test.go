package workflow_test

import (
	"errors"

	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/workflow"
)

// continued is the input of the next link, where a workflow has ended so.
func continued(err error) (input func(to any) error, ok bool) {
	var again *sdk.ContinueAsNewError
	if !errors.As(err, &again) {
		return nil, false
	}
	return func(to any) error {
		return converter.GetDefaultDataConverter().FromPayloads(again.Input, to)
	}, true
}
