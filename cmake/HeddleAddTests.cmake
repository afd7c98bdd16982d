# Writes FILE: an `add_test` for each test that `heddle test --list` names in PROGRAM. A script of heddle_discover_tests().

execute_process(
    COMMAND "${HEDDLE}" test "${PROGRAM}" --list
    OUTPUT_VARIABLE listed
    ERROR_VARIABLE said
    RESULT_VARIABLE status
)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${HEDDLE} test ${PROGRAM} --list: ${said}")
endif()

# Semicolons and brackets mean something in lists.
string(REPLACE "\\" "\\\\" listed "${listed}")
string(REPLACE ";" "\\;" listed "${listed}")
string(REPLACE "[" "<open>" listed "${listed}")
string(REPLACE "]" "<close>" listed "${listed}")
string(REGEX REPLACE "\n$" "" listed "${listed}")
string(REPLACE "\n" ";" listed "${listed}")
string(REPLACE "|" "]==] [==[" options "${OPTIONS}")
if(options)
    set(options " [==[${options}]==]")
endif()

set(text "")
foreach(name IN LISTS listed)
    string(REPLACE "<open>" "[" name "${name}")
    string(REPLACE "<close>" "]" name "${name}")
    set(test "[==[${PREFIX}${name}]==]")
    string(APPEND text "add_test(${test} [==[${HEDDLE}]==] test [==[${PROGRAM}]==] --exact --filter [==[${name}]==]"
        " --out [==[${OUT}]==]${options})\n"
        "set_tests_properties(${test} PROPERTIES LABELS heddle)\n")
endforeach()
file(WRITE "${FILE}" "${text}")
