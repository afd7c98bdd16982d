# heddle_discover_tests(TARGET [TEST_PREFIX prefix] [TIMEOUT duration] [OPTIONS option...])
#
# Adds a test for every test of a test program (GoogleTest, Catch2, doctest, Boost.Test): `ctest` then checks each with Heddle, in every
# order of its threads that matters. The program is asked for its tests when it has been built. Build it with Heddle's compiler:
#
#     CXX=heddle-c++ CC=heddle-cc cmake -B build
#
#     list(APPEND CMAKE_MODULE_PATH <prefix>/share/heddle/cmake)
#     include(HeddleDiscoverTests)
#     enable_testing()
#     heddle_discover_tests(queue_test TIMEOUT 1m OPTIONS --max-preemptions 3)
#
# The tests have the label `heddle`: `ctest -L heddle` runs only them, `ctest -LE heddle` all others.

find_program(HEDDLE_EXECUTABLE heddle HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" DOC "Heddle, a model checker")
set(_HEDDLE_ADD_TESTS "${CMAKE_CURRENT_LIST_DIR}/HeddleAddTests.cmake")

function(heddle_discover_tests target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TEST_PREFIX;TIMEOUT" "OPTIONS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "heddle_discover_tests: unknown: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT HEDDLE_EXECUTABLE)
        message(FATAL_ERROR "heddle_discover_tests: heddle is not found: set HEDDLE_EXECUTABLE")
    endif()
    if(arg_TIMEOUT)
        list(APPEND arg_OPTIONS --timeout "${arg_TIMEOUT}")
    endif()
    set(base "${CMAKE_CURRENT_BINARY_DIR}/${target}_heddle")
    string(REPLACE ";" "|" options "${arg_OPTIONS}")
    add_custom_command(
        TARGET "${target}" POST_BUILD
        BYPRODUCTS "${base}_tests.cmake"
        COMMAND "${CMAKE_COMMAND}"
            -D "HEDDLE=${HEDDLE_EXECUTABLE}"
            -D "PROGRAM=$<TARGET_FILE:${target}>"
            -D "PREFIX=${arg_TEST_PREFIX}"
            -D "OPTIONS=${options}"
            -D "OUT=${CMAKE_CURRENT_BINARY_DIR}/heddle-out"
            -D "FILE=${base}_tests.cmake"
            -P "${_HEDDLE_ADD_TESTS}"
        VERBATIM
    )
    # A program that is not built yet has one test, which fails.
    file(WRITE "${base}_include.cmake"
        "if(EXISTS \"${base}_tests.cmake\")\n"
        "  include(\"${base}_tests.cmake\")\n"
        "else()\n"
        "  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\n"
        "endif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${base}_include.cmake")
endfunction()
