package dap

import (
	"errors"
	"fmt"

	"github.com/google/go-dap"
)

// A handler executes the requests of one command. A nil answer is given later.
type handler struct {
	needs need
	do    func(s *session, m dap.RequestMessage) (dap.ResponseMessage, error)
}

// A need is the state of the session that a request requires.
type need uint8

const (
	nothing  need = iota
	fresh         // not launched yet
	begun         // launched, and not over
	stopped       // and the run is stopped
	launchOK      // launched once
)

// on returns the handler of requests of a type.
func on[T dap.RequestMessage](n need, f func(s *session, m T) (dap.ResponseMessage, error)) handler {
	return handler{n, func(s *session, m dap.RequestMessage) (dap.ResponseMessage, error) {
		r, ok := m.(T)
		if !ok {
			return nil, fmt.Errorf("%s: not such a request", m.GetRequest().Command)
		}
		return f(s, r)
	}}
}

// allows returns why a request cannot be executed now.
func (s *session) allows(n need, command string) error {
	switch {
	case n == nothing && (command == "initialize" || s.state != created), n == nothing && (command == "disconnect" || command == "cancel"):
		return nil
	case s.state == created:
		return fmt.Errorf("%s: initialize comes first", command)
	case n == fresh && s.state != initialized && s.state != over:
		return fmt.Errorf("%s: the session has been launched before", command)
	case n == fresh:
		return nil
	case s.state == initialized || s.state == launching:
		first := "launch"
		if s.program != nil {
			first = "attach"
		}
		return fmt.Errorf("%s: %s comes first", command, first)
	case n == launchOK:
		return nil
	case s.state == over:
		return fmt.Errorf("%s: the run is over", command)
	case n == stopped && s.run.Halted() == nil:
		return fmt.Errorf("%s: the run goes on; pause it first", command)
	}
	return nil
}

// handlerOf returns the handler of a command.
func handlerOf(command string) (handler, bool) {
	for _, x := range [...]struct {
		command string
		handler
	}{
		{"initialize", on(nothing, (*session).initialize)},
		{"launch", on(fresh, (*session).launchRequest)},
		{"attach", on(fresh, (*session).attach)},
		{"configurationDone", on(stopped, (*session).configurationDone)},
		{"disconnect", on(nothing, (*session).disconnect)},
		{"terminate", on(launchOK, (*session).terminate)},
		{"restart", on(launchOK, (*session).restart)},
		{"cancel", on(nothing, (*session).cancel)},
		{"setBreakpoints", on(launchOK, (*session).setBreakpoints)},
		{"setFunctionBreakpoints", on(launchOK, (*session).setFunctionBreakpoints)},
		{"setInstructionBreakpoints", on(launchOK, (*session).setInstructionBreakpoints)},
		{"setDataBreakpoints", on(launchOK, (*session).setDataBreakpoints)},
		{"setExceptionBreakpoints", on(launchOK, (*session).setExceptionBreakpoints)},
		{"dataBreakpointInfo", on(stopped, (*session).dataBreakpointInfo)},
		{"breakpointLocations", on(launchOK, (*session).breakpointLocations)},
		{"continue", on(stopped, (*session).goOn)},
		{"next", on(stopped, (*session).next)},
		{"stepIn", on(stopped, (*session).stepIn)},
		{"stepOut", on(stopped, (*session).stepOut)},
		{"stepBack", on(stopped, (*session).stepBack)},
		{"reverseContinue", on(stopped, (*session).reverseContinue)},
		{"pause", on(begun, (*session).pause)},
		{"gotoTargets", on(stopped, (*session).gotoTargets)},
		{"goto", on(stopped, (*session).goTo)},
		{"threads", on(launchOK, (*session).threadsRequest)},
		{"stackTrace", on(stopped, (*session).stackTrace)},
		{"scopes", on(stopped, (*session).scopes)},
		{"variables", on(stopped, (*session).variables)},
		{"setVariable", on(stopped, (*session).setVariable)},
		{"evaluate", on(stopped, (*session).evaluate)},
		{"setExpression", on(stopped, (*session).setExpression)},
		{"completions", on(stopped, (*session).completions)},
		{"exceptionInfo", on(stopped, (*session).exceptionInfo)},
		{"readMemory", on(stopped, (*session).readMemory)},
		{"writeMemory", on(stopped, (*session).writeMemory)},
		{"disassemble", on(launchOK, (*session).disassemble)},
		{"source", on(launchOK, (*session).source)},
		{"loadedSources", on(launchOK, (*session).loadedSources)},
		{"modules", on(launchOK, (*session).modules)},
	} {
		if x.command == command {
			return x.handler, true
		}
	}
	return handler{}, false
}

func (s *session) initialize(m *dap.InitializeRequest) (dap.ResponseMessage, error) {
	if s.state != created {
		return nil, errors.New("initialize: the session has been initialized before")
	}
	s.state = initialized
	return &dap.InitializeResponse{Body: dap.Capabilities{
		SupportsConfigurationDoneRequest:   true,
		SupportsFunctionBreakpoints:        true,
		SupportsConditionalBreakpoints:     true,
		SupportsHitConditionalBreakpoints:  true,
		SupportsLogPoints:                  true,
		SupportsInstructionBreakpoints:     true,
		SupportsDataBreakpoints:            true,
		SupportsBreakpointLocationsRequest: true,
		SupportsEvaluateForHovers:          true,
		SupportsSetVariable:                true,
		SupportsSetExpression:              true,
		SupportsCompletionsRequest:         true,
		SupportsStepBack:                   true,
		SupportsSteppingGranularity:        true,
		SupportsGotoTargetsRequest:         true,
		SupportsRestartRequest:             s.program == nil,
		SupportsTerminateRequest:           true,
		SupportTerminateDebuggee:           true,
		SupportsCancelRequest:              true,
		SupportsExceptionInfoRequest:       true,
		SupportsReadMemoryRequest:          true,
		SupportsWriteMemoryRequest:         true,
		SupportsDisassembleRequest:         true,
		SupportsModulesRequest:             true,
		SupportsLoadedSourcesRequest:       true,
		SupportsValueFormattingOptions:     true,
		SupportsDelayedStackTraceLoading:   true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{{Filter: faultFilter, Label: "Faults", Default: true,
			Description: "Stops where an instruction faults: an access outside of memory, a reserved encoding, a step limit."},
			{Filter: launchFilter, Label: "Launches", Description: "Stops at the first instruction of each launch."}},
	}}, nil
}

// The filters of faults, and of the beginnings of launches.
const faultFilter, launchFilter = "faults", "launches"

func (s *session) attach(m *dap.AttachRequest) (dap.ResponseMessage, error) {
	if s.program == nil {
		return nil, errors.New("attach: a run cannot be joined; launch begins one")
	}
	return nil, s.begin(m, m.Arguments)
}

func (s *session) cancel(*dap.CancelRequest) (dap.ResponseMessage, error) {
	return &dap.CancelResponse{}, nil // the reader has recorded it
}
